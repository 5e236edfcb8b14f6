// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace lockstep::data {

/// Bytes that many read and nobody changes: in memory of their own, or mapped from a file. Copies
/// and parts share them. A contiguous range, so it is a span wherever one is asked for.
class SharedBytes {
public:
    SharedBytes() = default;
    explicit(false) SharedBytes(std::vector<std::uint8_t> bytes) {
        auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
        view_ = *owner;
        owner_ = std::move(owner);
    }
    /// `view` lives as long as `owner`. `isMapped`: it is part of a file, page by page.
    SharedBytes(std::shared_ptr<const void> owner, std::span<const std::uint8_t> view,
                bool isMapped = false)
        : owner_(std::move(owner)), view_(view), isMapped_(isMapped) {}

    [[nodiscard]] std::size_t size() const { return view_.size(); }
    [[nodiscard]] const std::uint8_t* data() const { return view_.data(); }
    [[nodiscard]] const std::uint8_t* begin() const { return data(); }
    [[nodiscard]] const std::uint8_t* end() const { return data() + size(); }
    [[nodiscard]] std::uint8_t operator[](std::size_t i) const { return view_[i]; }
    [[nodiscard]] SharedBytes part(std::size_t first, std::size_t count) const {
        return {owner_, view_.subspan(first, count), isMapped_};
    }
    /// Whether they are a file's that has a name: all processes that map it share this memory.
    [[nodiscard]] bool isMapped() const { return isMapped_; }
    /// The same bytes, of a file that nobody else can open.
    [[nodiscard]] SharedBytes withoutName() const { return {owner_, view_, false}; }
    [[nodiscard]] bool operator==(const SharedBytes& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

private:
    std::shared_ptr<const void> owner_;
    std::span<const std::uint8_t> view_;
    bool isMapped_ = false;
};

/// The whole of a regular file, read from it page by page as it is looked at. A file that
/// is cut short while it is mapped ends the program, in words (mapping_fault.h): what is replaced
/// by a rename is safe. NotFound, Io, or BadInput
/// for what is not a regular file.
[[nodiscard]] Result<SharedBytes> mapFile(const std::filesystem::path& path);
/// The same of a file that is open; `path` is what messages call it.
[[nodiscard]] Result<SharedBytes> mapOpenFile(int file, const std::filesystem::path& path);

}  // namespace lockstep::data
