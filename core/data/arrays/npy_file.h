// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

enum class NpyType : std::uint8_t {
    Bool,
    UInt8,
    Int8,
    UInt16,
    Int16,
    UInt32,
    Int32,
    UInt64,
    Int64,
    Float32,
    Float64,
};

/// As NumPy calls it: "float32".
[[nodiscard]] std::string_view toString(NpyType type);
[[nodiscard]] std::size_t bytesOf(NpyType type);
[[nodiscard]] inline bool isFloat(NpyType type) {
    return type == NpyType::Float32 || type == NpyType::Float64;
}

/// An array of NumPy, in its own order: the last dimension lies together.
struct NpyArray {
    NpyType type = NpyType::Float32;
    std::vector<std::uint64_t> shape;
    SharedBytes bytes;  ///< Little-endian; need not be aligned.

    [[nodiscard]] std::uint64_t elements() const;
    /// As the number that it is nearest to; whole numbers above 2^53 may be rounded.
    [[nodiscard]] double at(std::uint64_t index) const;
};

/// Reads the bytes of a .npy file of version 1, 2 or 3. The array's bytes are part of `file`.
/// BadInput, as what goes on after a name ("it is …"), for anything else: other bytes, big-endian
/// or Fortran order, types that are no numbers, a header that the file's size belies.
[[nodiscard]] Result<NpyArray> parseNpy(const SharedBytes& file);

/// (3, 4) as "3 x 4".
[[nodiscard]] std::string shapeText(const std::vector<std::uint64_t>& shape);

}  // namespace lockstep::data
