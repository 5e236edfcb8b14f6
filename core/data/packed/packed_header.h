// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/packed/packed_file.h"

namespace lockstep::data {

inline constexpr std::size_t kPackedHeaderBytes = 1024;
/// Sections begin at multiples of it.
inline constexpr std::size_t kPackedAlignment = 64;
inline constexpr std::size_t kMostSections = 16;

/// The header of a packed file: text, padded to kPackedHeaderBytes. Behind it come the sections,
/// each padded to kPackedAlignment, then the meaning.
[[nodiscard]] std::string packedHeader(const std::string& source, const std::string& checksum,
                                       const std::vector<std::uint64_t>& sections,
                                       std::uint64_t meaningBytes);

/// Bytes that fill a section up.
[[nodiscard]] inline std::size_t paddingBehind(std::uint64_t bytes) {
    return static_cast<std::size_t>((kPackedAlignment - bytes % kPackedAlignment) %
                                    kPackedAlignment);
}

/// What a whole packed file of `source` holds. NotFound where it holds another source, or was
/// written by another version, Corrupt where it is damaged, as what goes on after the file's name.
[[nodiscard]] Result<PackedData> parsePacked(const SharedBytes& file, const std::string& source);

}  // namespace lockstep::data
