// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/result.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// Bytes in memory that grow without a second copy of them: the system moves pages, not bytes.
class GrowingMemory {
public:
    GrowingMemory() = default;
    ~GrowingMemory();
    GrowingMemory(GrowingMemory&& other) noexcept
        : begin_(std::exchange(other.begin_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          room_(std::exchange(other.room_, 0)) {}
    GrowingMemory& operator=(GrowingMemory&& other) noexcept {
        std::swap(begin_, other.begin_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
        return *this;
    }

    /// Unavailable where more is asked for than is free.
    [[nodiscard]] Result<void> append(std::span<const std::uint8_t> bytes);
    void clear() { size_ = 0; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {begin_, size_}; }
    /// All of it, which then is no longer here.
    [[nodiscard]] SharedBytes take();

private:
    [[nodiscard]] Result<void> grow(std::size_t room);

    std::uint8_t* begin_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
};

}  // namespace lockstep::data
