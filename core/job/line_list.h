// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::job {

/// A file of lines, the newest last, to which several programs of a user may add at once. Of more
/// than `most` those that mean nothing any more make way first, then the oldest. Without a file (an
/// empty path: the user has no home) it is empty and stays so.
class LineList {
public:
    LineList(std::filesystem::path file, std::size_t most);

    /// Empty where the file is missing or cannot be read.
    [[nodiscard]] std::vector<std::string> lines() const;
    /// Adds a line, or moves it to the end. BadInput for one that has a line break in it; Timeout
    /// while another program holds the file. `isGone`: asked where there are too many.
    [[nodiscard]] Result<void> add(
        const std::string& line, const std::function<bool(const std::string&)>& isGone = {}) const;

private:
    std::filesystem::path file_;
    std::size_t most_;
};

}  // namespace lockstep::job
