// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep {

using Sha256 = std::array<std::uint8_t, 32>;

/// SHA-256 (FIPS 180-4).
[[nodiscard]] Sha256 sha256(std::string_view bytes);

/// HMAC-SHA-256 (RFC 2104): whoever does not know `key` can neither guess it nor the value of
/// another text from any number of values.
[[nodiscard]] Sha256 hmacSha256(std::string_view key, std::string_view text);

}  // namespace lockstep
