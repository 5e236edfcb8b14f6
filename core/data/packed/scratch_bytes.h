// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/data/packed/growing_memory.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// Bytes that are written one behind the other and then read as a whole, more than fit in memory:
/// what goes beyond kHeld lies in a file of a folder, which has no name and goes with the last
/// reader.
class ScratchBytes {
public:
    static constexpr std::size_t kHeld = std::size_t{8} << 20;

    /// Empty folder: all stays in memory.
    explicit ScratchBytes(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Io where the folder takes no more; Unavailable where memory does not.
    [[nodiscard]] Result<void> append(std::span<const std::uint8_t> bytes);
    template <typename T>
    [[nodiscard]] Result<void> appendNumbers(std::span<const T> numbers) {
        return append(
            {reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size_bytes()});
    }
    /// All that was written; nothing is written behind it.
    [[nodiscard]] Result<SharedBytes> take();

private:
    [[nodiscard]] Result<void> spill();

    std::filesystem::path folder_;
    GrowingMemory held_;
    UniqueFd file_;
};

}  // namespace lockstep::data
