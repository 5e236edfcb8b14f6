// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace lockstep::checkpoint {

std::string hashOf(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace lockstep::checkpoint
