// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::data {

/// How gzipped files begin.
inline constexpr std::string_view kGzipMagic = "\x1f\x8b";

/// The content of a file in memory, read from its start: as it is, or decompressed when it begins
/// as gzip. Never produces more than the caller asks for.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// Fills `out`, or as much of it as there is. BadInput when the compressed bytes are damaged.
    [[nodiscard]] virtual Result<std::size_t> read(std::span<std::uint8_t> out) = 0;
    /// BadInput when anything follows what was read, or the gzip checksum is wrong.
    [[nodiscard]] virtual Result<void> expectEnd() = 0;
    /// The most bytes that can be in there.
    [[nodiscard]] virtual std::uint64_t largestSize() const = 0;
    /// The exact number of bytes in there is `largestSize()`.
    [[nodiscard]] virtual bool sizeIsExact() const = 0;
};

/// `file` must outlive the source and be below 4 GiB.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> openByteSource(std::string_view file);

}  // namespace lockstep::data
