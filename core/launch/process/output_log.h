// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/launch/process/error_finder.h"
#include "core/launch/process/left_out.h"
#include "core/launch/process/line_allowance.h"
#include "core/launch/process/line_levels.h"
#include "core/launch/process/terminal_text.h"

namespace lockstep::launch {

/// What a process wrote, kept and passed on within limits: lines as a terminal would show them
/// (TerminalText), cut at 4 KiB; at most `linesPerSecond` (with a burst) are passed on, warnings
/// and errors by an allowance of their own; the file takes at most `fileLimitBytes`. What is left
/// out is counted and said. A line that stays unfinished, or is rewritten again and again, is
/// passed on as far as it has come once a second. Confined to one thread.
class OutputLog {
public:
    struct Limits {
        double linesPerSecond = 200;
        double burstLines = 2000;
        std::uint64_t fileLimitBytes = std::uint64_t{64} << 20;
    };
    struct Line {
        int level = 1;  ///< 0 debug, 1 info, 2 warning, 3 error: see LineLevels.
        std::string text;
        bool unfinished = false;  ///< The next one takes its place.
    };

    [[nodiscard]] static Result<OutputLog> open(const std::filesystem::path& file, Limits limits,
                                                std::function<void(const Line&)> onLine);

    /// Bytes as they came from the pipe; a line may come in pieces.
    void feed(std::string_view bytes, Nanos now);
    /// Time goes on, whether or not something came.
    void tick(Nanos now);
    /// The process has ended: an unfinished line is a line.
    void finish(Nanos now);
    /// The newest line that began with `error: `, without that word; empty when there was none.
    [[nodiscard]] const std::string& lastError() const { return lastError_; }
    /// The same of a program that may be anybody's: see ErrorFinder.
    [[nodiscard]] const ErrorFinder& errorsOfAnyProgram() const { return finder_; }

private:
    OutputLog(UniqueFd file, std::string name, Limits limits,
              std::function<void(const Line&)> onLine);

    void takeLine(const std::string& text, Nanos now);
    void writeToFile(std::string_view line);
    void leaveOut(std::uint64_t begin);
    void reportOmitted(Nanos now);

    UniqueFd file_;
    std::string name_;  ///< Of the file, as a reader of the run's folder finds it.
    std::uint64_t fileLimitBytes_;
    std::function<void(const Line&)> onLine_;
    TerminalText text_;
    LineLevels levels_;
    LineAllowance allowance_;
    LineAllowance graveAllowance_;  ///< Of warnings and errors: a flood must not hide them.
    std::string lastError_;
    ErrorFinder finder_;
    std::uint64_t fileBytes_ = 0;
    bool isIncomplete_ = false;  ///< The disk did not take all that the file should hold.
    std::uint64_t omitted_ = 0;
    bool omittedGrave_ = false;
    std::vector<Stretch> omittedAt_;
    Nanos omittedReported_{0};
    std::optional<Nanos> unfinishedSince_;  ///< Or since it was passed on the last time.
    std::string unfinishedShown_;
};

}  // namespace lockstep::launch
