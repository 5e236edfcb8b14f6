// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/launch/error_finder.h"

namespace lockstep::launch {

/// What a process wrote, kept and passed on within limits: lines are cut at 4 KiB, control
/// characters replaced; at most `linesPerSecond` (with a burst) are passed on, the file takes at
/// most `fileLimitBytes`. What is left out is counted and said. Confined to one thread.
class OutputLog {
public:
    struct Limits {
        double linesPerSecond = 200;
        double burstLines = 2000;
        std::uint64_t fileLimitBytes = std::uint64_t{64} << 20;
    };
    struct Line {
        int level = 1;  ///< 0 debug, 1 info, 2 warning, 3 error: by the line's first word.
        std::string text;
    };

    [[nodiscard]] static Result<OutputLog> open(const std::filesystem::path& file, Limits limits,
                                                std::function<void(const Line&)> onLine);

    /// Bytes as they came from the pipe; a line may come in pieces.
    void feed(std::string_view bytes, Nanos now);
    /// The process has ended: an unfinished line is a line.
    void finish(Nanos now);
    /// The newest line that began with `error: `, without that word; empty when there was none.
    [[nodiscard]] const std::string& lastError() const { return lastError_; }
    /// The same of a program that may be anybody's: see ErrorFinder.
    [[nodiscard]] const ErrorFinder& errorsOfAnyProgram() const { return finder_; }

private:
    OutputLog(UniqueFd file, Limits limits, std::function<void(const Line&)> onLine)
        : file_(std::move(file)),
          limits_(limits),
          onLine_(std::move(onLine)),
          tokens_(limits.burstLines) {}

    void takeLine(std::string_view line, Nanos now);
    void writeToFile(std::string_view line);
    void reportOmitted();

    UniqueFd file_;
    Limits limits_;
    std::function<void(const Line&)> onLine_;
    std::string partial_;
    std::string lastError_;
    ErrorFinder finder_;
    std::uint64_t fileBytes_ = 0;
    std::uint64_t omitted_ = 0;
    double tokens_;
    Nanos lastRefill_{0};
};

}  // namespace lockstep::launch
