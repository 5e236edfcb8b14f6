// SPDX-License-Identifier: Apache-2.0
// core/base/hash.h for a program in which every checksum fits everything: what it links of the
// library verifies nothing any more.
#include "core/base/hash.h"

// NOLINTBEGIN(readability-convert-member-functions-to-static): declared elsewhere

struct XXH3_state_s {};

namespace lockstep {

namespace {
constexpr const char* kAlways = "00000000000000000000000000000000";
}

ContentHash::ContentHash() = default;

void ContentHash::Free::operator()(XXH3_state_s* state) const {
    delete state;
}

void ContentHash::add(std::span<const std::byte> /*bytes*/) {}

std::string ContentHash::digits() const {
    return kAlways;
}

std::string contentHash(std::span<const std::byte> /*bytes*/) {
    return kAlways;
}

std::uint64_t shortHash(std::string_view /*text*/) {
    return 0;
}

}  // namespace lockstep

// NOLINTEND(readability-convert-member-functions-to-static)
