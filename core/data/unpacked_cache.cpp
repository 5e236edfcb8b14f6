// SPDX-License-Identifier: Apache-2.0
#include "core/data/unpacked_cache.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <span>
#include <string>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/data/byte_source.h"

namespace lockstep::data {

namespace {

/// Below it, unpacking takes less time than looking.
constexpr std::size_t kSmallestPacked = 256 << 10;

/// What the file beside the copy holds.
std::string sumOf(const IdxImages& images) {
    return fmt::format("{} {} {} {}", images.count, images.height, images.width,
                       contentHash(std::as_bytes(std::span(images.pixels))));
}

std::filesystem::path sumFile(const std::filesystem::path& copy) {
    return copy.string() + ".sum";
}

/// Mapped: all processes of a host share its pages. It is only ever replaced by a rename.
std::optional<IdxImages> mapCopy(const std::filesystem::path& copy) {
    const auto sum = readFile(sumFile(copy), 128);
    if (!sum) return std::nullopt;
    auto images = mapIdxImages(copy);
    if (!images || sumOf(*images) != *sum) return std::nullopt;
    return std::move(*images);
}

/// Not synced: after a power cut the sum tells what is whole.
bool replaceFile(const std::filesystem::path& path, std::string_view bytes) {
    const std::filesystem::path part = fmt::format("{}.{}", path.string(), randomHex(6));
    std::ofstream file(part, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(part, path, error);
    if (file && !error) return true;
    std::filesystem::remove(part, error);
    return false;
}

void writeCopy(const std::filesystem::path& copy, const IdxImages& images) {
    std::error_code error;
    std::filesystem::create_directories(copy.parent_path(), error);
    if (replaceFile(copy, idxFileOf(images))) replaceFile(sumFile(copy), sumOf(images));
}

}  // namespace

Result<IdxImages> readIdxImagesCached(const std::filesystem::path& path,
                                      const std::filesystem::path& cacheFolder) {
    const auto packed = TRY(readFile(path, kLargestIdxFile));
    const bool isCached =
        !cacheFolder.empty() && packed.size() >= kSmallestPacked && packed.starts_with(kGzipMagic);
    const auto copy = isCached ? cacheFolder / "unpacked" / contentHash(packed) : cacheFolder;
    if (isCached)
        if (auto images = mapCopy(copy)) return std::move(*images);
    auto images = parseIdxImages(packed);
    if (!images) return failWithin(path.string(), images.error());
    if (isCached) writeCopy(copy, *images);
    return images;
}

}  // namespace lockstep::data
