// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::checkpoint {

/// The numbers of the format.
enum class DType : std::uint8_t {
    Bool,
    U8,
    I8,
    F8E4M3,
    F8E5M2,
    U16,
    I16,
    F16,
    BF16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
};
/// As files name it: "F32".
[[nodiscard]] std::string_view nameOf(DType dtype);
/// Of one number.
[[nodiscard]] std::uint64_t bytesOf(DType dtype);

/// A tensor of a safetensors file. `bytes` are its values, row-major, little-endian; they belong
/// to whoever made the view (for a reader: the text that was parsed).
struct SafetensorView {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::string_view bytes;
};

using SafetensorMetadata = std::map<std::string, std::string>;

/// A parsed file: views into the text it was parsed from, in the order of their data.
struct SafetensorsContent {
    SafetensorMetadata metadata;
    std::vector<SafetensorView> tensors;
};

/// The bytes of a safetensors file, header padded so that data starts at a multiple of 8; tensors
/// ordered by descending alignment, then name, as the reference writer does. BadInput when a
/// name repeats or is reserved, bytes and shape disagree, or a reader's limit is passed: of 8
/// dimensions, or of the header.
[[nodiscard]] Result<std::string> encodeSafetensors(std::vector<SafetensorView> tensors,
                                                    const SafetensorMetadata& metadata);

/// What encodeSafetensors() gives, not put together: the header, and behind it the bytes of the
/// tensors in the order in which these are now.
[[nodiscard]] Result<std::string> encodeSafetensorsHead(std::vector<SafetensorView>& tensors,
                                                        const SafetensorMetadata& metadata);

/// Checks and parses the bytes of a file; the views live as long as `text`. Accepts only what the
/// format allows (no holes, overlaps, duplicates, unknown keys, trailing bytes). Corrupt says what
/// is wrong; never allocates more than the text's own size warrants.
[[nodiscard]] Result<SafetensorsContent> parseSafetensors(std::string_view text);

/// A tensor of a file whose data have not been read: they begin at byte `begin` of it.
struct PlacedSafetensor {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
};
struct SafetensorsHead {
    SafetensorMetadata metadata;
    std::vector<PlacedSafetensor> tensors;
};

/// What parseSafetensors() checks, of a file of so many bytes of which `read(offset, length)` gives
/// the few that tell it.
[[nodiscard]] Result<SafetensorsHead> readSafetensorsHead(
    std::uint64_t bytes,
    const std::function<Result<std::string>(std::uint64_t, std::uint64_t)>& read);

}  // namespace lockstep::checkpoint
