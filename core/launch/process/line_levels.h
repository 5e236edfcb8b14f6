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
    /// Whether the line that was taken last goes on with the failure that one before it has begun
    /// to tell: a traceback of Python with those that it was caused by, frames of C++ below an
    /// error, faulthandler's threads. One that is blank may turn out to be the end.
    [[nodiscard]] bool continues() const { return continues_; }

private:
    enum class Account : std::uint8_t { None, Stack, Told, Gap, Frames };

    [[nodiscard]] bool goesOn(std::string_view line);
    [[nodiscard]] bool goesOnBelowBlank(std::string_view line);
    [[nodiscard]] LineLevel levelAlone(std::string_view line);

    Account account_ = Account::None;  ///< What of a failure comes next.
    bool isChained_ = false;           ///< The next traceback belongs to the same failure.
    bool isFault_ = false;             ///< Python's interpreter has failed itself.
    bool continues_ = false;
    bool belowWarning_ = false;  ///< Python shows the line of source below a warning.
};

/// A line without PyTorch's "[rank1]: ", blanks kept.
[[nodiscard]] std::string_view withoutRank(std::string_view line);
/// "ValueError: …", "torch.distributed.DistNetworkError: …", "KeyboardInterrupt"; no figure that is
/// called an error.
[[nodiscard]] bool namesException(std::string_view line);

}  // namespace lockstep::launch
