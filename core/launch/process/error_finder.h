// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace lockstep::launch {

/// Finds in what a program of any kind prints the line that says why it failed: the exception
/// below a Python traceback (also behind PyTorch's "[rank1]: "), what() of a C++ exception, a line
/// that begins with "error: " or names an error; where there is none, the last line at all.
class ErrorFinder {
public:
    /// The next line, without its end, control characters replaced. Notes and warnings, which the
    /// worker itself writes there, too, are no last words.
    void take(std::string_view line);
    /// The newest line that names an error; empty when there was none.
    [[nodiscard]] const std::string& named() const { return named_; }
    /// That line, else the last one at all, in words for behind "exited with status 1: "; empty
    /// when nothing was printed.
    [[nodiscard]] std::string cause() const;

private:
    std::string named_;
    std::string last_;
    bool inTraceback_ = false;
};

}  // namespace lockstep::launch
