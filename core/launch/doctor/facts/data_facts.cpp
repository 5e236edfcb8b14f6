// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/data/byte_source.h"
#include "core/data/images/image_listing.h"
#include "core/data/load_dataset.h"
#include "core/launch/doctor/facts/host_facts.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

/// Files up to this size are read whole; of larger ones places are compared.
constexpr std::uint64_t kWholeBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kPlaces = 64;
constexpr std::size_t kPlaceBytes = std::size_t{64} << 10;

/// What the file holds, unpacked where it is gzipped: hosts may keep the same data either way.
Result<void> addWhole(ContentHash& hash, const fs::path& path) {
    auto file = TRY(readFile(path, kWholeBytes));
    auto source = TRY(data::openByteSource(file));
    std::vector<std::uint8_t> piece(kPlaceBytes);
    std::uint64_t total = 0;
    for (;;) {
        auto got = TRY(source->read(piece));
        if (got == 0) break;
        hash.add(std::as_bytes(std::span(piece).first(got)));
        total += got;
    }
    hash.add(fmt::format("{} bytes", total));
    return {};
}

Result<void> addPlaces(ContentHash& hash, const fs::path& path, std::uint64_t size) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) return fail(ErrorCode::Io, path.string() + ": " + errnoText());
    std::vector<char> piece(kPlaceBytes);
    for (std::uint64_t place = 0; place < kPlaces; ++place) {
        const auto at = static_cast<off_t>((size - kPlaceBytes) * place / (kPlaces - 1));
        const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), at);
        if (got < 0) return fail(ErrorCode::Io, path.string() + ": " + errnoText());
        hash.add(std::string_view(piece.data(), static_cast<std::size_t>(got)));
    }
    hash.add(fmt::format("{} of {} bytes", path.extension().string(), size));
    return {};
}

Result<void> addFile(ContentHash& hash, const fs::path& path, wire::DataFacts& facts) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    if (error) return fail(ErrorCode::Io, path.string() + ": " + error.message());
    facts.set_bytes(facts.bytes() + size);
    return size <= kWholeBytes ? addWhole(hash, path) : addPlaces(hash, path, size);
}

/// Of as many images as places of a large file.
constexpr std::size_t kImagesRead = kPlaces;

/// Names and sizes of all images, and what some of them hold.
wire::DataFacts examineImages(const fs::path& directory) {
    wire::DataFacts facts;
    facts.set_needed(true);
    const auto listing = data::listImages("data.directory", directory);
    if (!listing) {
        facts.set_error(listing.error().message);
        return facts;
    }
    ContentHash hash;
    data::addNamesAndSizes(hash, *listing);
    std::uint64_t bytes = 0;
    for (const data::ImageFile& file : listing->files)
        bytes += file.bytes;
    for (std::size_t i = 0; i < std::min(kImagesRead, listing->files.size()); ++i)
        if (auto added = addFile(hash, directory / listing->files[i].path, facts);
            !added && facts.error().empty())
            facts.set_error(added.error().message);
    facts.set_bytes(bytes);
    facts.set_present(facts.error().empty());
    if (facts.present()) facts.set_fingerprint(hash.digits());
    return facts;
}

}  // namespace

wire::DataFacts examineData(const std::string& dataset, const fs::path& directory) {
    if (dataset == "image_folder") return examineImages(directory);
    wire::DataFacts facts;
    facts.set_needed(data::readsFiles(dataset));
    facts.set_present(!facts.needed());
    if (!facts.needed()) return facts;
    ContentHash hash;
    for (const char* name : data::kIdxFileNames) {
        const auto path = data::findDataFile(directory, name);
        if (!path) {
            facts.add_missing(name);
            continue;
        }
        hash.add(name);
        if (auto added = addFile(hash, *path, facts); !added && facts.error().empty())
            facts.set_error(added.error().message);
    }
    facts.set_present(facts.missing().empty() && facts.error().empty());
    if (facts.present()) facts.set_fingerprint(hash.digits());
    return facts;
}

}  // namespace lockstep::launch
