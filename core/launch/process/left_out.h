// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::launch {

/// The file in a run's logs/ that gets all that a worker, or an evaluator, writes.
[[nodiscard]] std::string logFileName(bool isEvaluator, std::uint32_t processId);

/// Where lines lie in that file, in bytes.
struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool operator==(const Stretch&) const = default;
};

/// The line that stands for others: "(4000 lines left out here, too many at once: all of them are
/// in logs/process-0.log, bytes 1200 to 56000)". Without stretches `where` says what became of
/// them: "logs/process-0.log is full, too".
[[nodiscard]] std::string leftOutSentence(std::uint64_t lines, const std::string& where,
                                          const std::vector<Stretch>& stretches);
/// The stretches that such a line names, in their order; empty for every other line.
[[nodiscard]] std::vector<Stretch> leftOutStretches(std::string_view line);

}  // namespace lockstep::launch
