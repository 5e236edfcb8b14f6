// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::launch {

enum class LineLevel : std::uint8_t { Debug, Info, Warning, Error };

/// How grave a line is that a program of any kind wrote: by our own first words, the level words
/// and letters of the usual logging libraries (Python's logging and warnings, absl and glog, torch,
/// XLA, Rust's, log4j's, logfmt, JSON), and what Python and C++ say when they fail. A traceback is
/// an error from its first line to its last. What says nothing of itself is Info.
class LineLevels {
public:
    /// The next line of the program, without its end.
    [[nodiscard]] LineLevel take(std::string_view line);

private:
    bool inTraceback_ = false;
    bool belowWarning_ = false;  ///< Python shows the line of source below a warning.
};

/// A line without PyTorch's "[rank1]: ", blanks kept.
[[nodiscard]] std::string_view withoutRank(std::string_view line);
/// "ValueError: …", "torch.distributed.DistNetworkError: …", "KeyboardInterrupt"; no figure that is
/// called an error.
[[nodiscard]] bool namesException(std::string_view line);

}  // namespace lockstep::launch
