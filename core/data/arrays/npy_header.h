// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// What a .npy file says of its array.
struct NpyHeader {
    std::string descr;  ///< "<f4"; of records: the literal as it is.
    bool isFortran = false;
    std::vector<std::uint64_t> shape;
    std::size_t bytes = 0;  ///< Of the file, before the array.
};

/// BadInput, as parseNpy() says it, for what is no .npy file or has another header than NumPy
/// writes.
[[nodiscard]] Result<NpyHeader> readNpyHeader(const SharedBytes& file);

}  // namespace lockstep::data
