// SPDX-License-Identifier: Apache-2.0
// Private to this folder: integers as the file formats write them.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::telemetry {

template <std::unsigned_integral Integer>
void appendLittleEndian(std::string& bytes, Integer value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
        bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

/// The integer at the beginning of `bytes`, which has enough of them.
template <std::unsigned_integral Integer>
[[nodiscard]] Integer readLittleEndian(std::string_view bytes) {
    Integer value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
        value |= static_cast<Integer>(Integer{static_cast<unsigned char>(bytes[i])} << (8 * i));
    return value;
}

}  // namespace lockstep::telemetry
