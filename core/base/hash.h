// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace lockstep {

/// XXH3-128 of bytes that come one after the other. Finds accidents (bit rot, lost writes, another
/// file), not forgers.
class ContentHash {
public:
    ContentHash();

    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

    /// Of all that was added, as 32 hexadecimal digits.
    [[nodiscard]] std::string digits() const;

private:
    struct Free {
        void operator()(XXH3_state_s* state) const;
    };
    std::unique_ptr<XXH3_state_s, Free> state_;
};

/// The same of bytes that are all there.
[[nodiscard]] std::string contentHash(std::span<const std::byte> bytes);
[[nodiscard]] inline std::string contentHash(std::string_view text) {
    return contentHash(std::as_bytes(std::span(text)));
}

/// XXH3-64, where a number will do.
[[nodiscard]] std::uint64_t shortHash(std::string_view text);

}  // namespace lockstep
