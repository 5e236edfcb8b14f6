// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::collective {

inline constexpr std::string_view kLostConnection = "lost the connection to replica ";

/// How a replica whose connection to another one broke says so.
[[nodiscard]] inline std::string lostConnectionTo(std::uint32_t replica) {
    return fmt::format("{}{}", kLostConnection, replica);
}

/// Of such words, wherever they stand in what is said around them: the other one, counted in the
/// whole job. Nullopt: they say something else.
[[nodiscard]] inline std::optional<std::uint32_t> lostReplicaIn(std::string_view message) {
    const auto at = message.find(kLostConnection);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view number = message.substr(at + kLostConnection.size());
    std::uint32_t replica = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), replica);
    return error == std::errc() ? std::optional(replica) : std::nullopt;
}

}  // namespace lockstep::collective
