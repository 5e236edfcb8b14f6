// SPDX-License-Identifier: Apache-2.0
#include "core/base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "core/base/check.h"

namespace lockstep {

namespace {

std::string digitsOf(XXH128_hash_t hash) {
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

ContentHash::ContentHash() : state_(XXH3_createState()) {
    LS_CHECK(state_ != nullptr, "there is no memory left");
    XXH3_128bits_reset(state_.get());
}

void ContentHash::Free::operator()(XXH3_state_s* state) const {
    XXH3_freeState(state);
}

void ContentHash::add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string ContentHash::digits() const {
    return digitsOf(XXH3_128bits_digest(state_.get()));
}

std::string contentHash(std::span<const std::byte> bytes) {
    return digitsOf(XXH3_128bits(bytes.data(), bytes.size()));
}

std::uint64_t shortHash(std::string_view text) {
    return XXH3_64bits(text.data(), text.size());
}

}  // namespace lockstep
