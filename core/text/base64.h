// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::text {

/// Bytes as RFC 4648 writes them in 64 characters, padded with "=": for a JSON document.
[[nodiscard]] std::string toBase64(std::string_view bytes);
/// Nothing for what toBase64() does not write.
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);

}  // namespace lockstep::text
