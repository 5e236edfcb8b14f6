// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// 8-bit grey images of an IDX file, count x height x width.
struct IdxImages {
    std::uint32_t count = 0;
    int width = 0;
    int height = 0;
    SharedBytes pixels;
};

/// Reads images (IDX magic 0x00000803), plain or gzip (told by content, not by name). Header and
/// sizes are checked before anything of the header's size is allocated. Fails with NotFound, Io,
/// or BadInput for everything that is wrong with the content.
[[nodiscard]] Result<IdxImages> readIdxImages(const std::filesystem::path& path);
/// The same of a file's bytes; messages do not name it.
[[nodiscard]] Result<IdxImages> parseIdxImages(std::string_view file);
/// The bytes of the plain IDX file of these images.
[[nodiscard]] std::string idxFileOf(const IdxImages& images);
/// Larger files are not read.
inline constexpr std::uint64_t kLargestIdxFile = (std::uint64_t{1} << 32) - 1;

/// The same of a plain file, mapped instead of read: its pixels are read from the file as they are
/// looked at. BadInput, with the way out, for a gzip file.
[[nodiscard]] Result<IdxImages> mapIdxImages(const std::filesystem::path& path);

/// Reads labels (IDX magic 0x00000801), plain or gzip. Every label must be below `classes`.
[[nodiscard]] Result<std::vector<std::uint8_t>> readIdxLabels(const std::filesystem::path& path,
                                                              int classes = 256);

/// Writes a plain IDX file durably and atomically: other processes see none or all of it.
/// `pixels` has count x height x width bytes.
[[nodiscard]] Result<void> writeIdxImages(const std::filesystem::path& path, std::uint32_t count,
                                          int width, int height,
                                          std::span<const std::uint8_t> pixels);
[[nodiscard]] Result<void> writeIdxLabels(const std::filesystem::path& path,
                                          std::span<const std::uint8_t> labels);

}  // namespace lockstep::data
