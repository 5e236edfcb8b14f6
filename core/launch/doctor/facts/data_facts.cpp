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
#include "core/config/job/data_sources.h"
#include "core/data/byte_source.h"
#include "core/data/images/image_archive.h"
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

void noteError(wire::DataFacts& facts, const std::string& sentence) {
    if (facts.error().empty()) facts.set_error(sentence);
}

/// Names and sizes of all images of a folder, and what some of them hold. `classes` are those of
/// the training images, which come first.
void addImages(ContentHash& hash, const std::string& key, const fs::path& directory,
               std::vector<std::string>& classes, wire::DataFacts& facts) {
    const auto listing = data::listImages(key, directory, classes);
    if (!listing) {
        noteError(facts, listing.error().message);
        return;
    }
    if (classes.empty()) classes = listing->classNames;
    hash.add(key);
    data::addNamesAndSizes(hash, *listing);
    std::uint64_t bytes = facts.bytes();
    for (const data::ImageFile& file : listing->files)
        bytes += file.bytes;
    if (data::namesArchive(directory)) {
        if (auto added = addFile(hash, data::archiveFileOf(directory), facts); !added)
            noteError(facts, added.error().message);
        return;
    }
    for (std::size_t i = 0; i < std::min(kImagesRead, listing->files.size()); ++i)
        if (auto added = addFile(hash, directory / listing->files[i].path, facts); !added)
            noteError(facts, added.error().message);
    facts.set_bytes(bytes);
}

void addIdxFiles(ContentHash& hash, const fs::path& directory, wire::DataFacts& facts) {
    for (const char* name : data::kIdxFileNames) {
        const auto path = data::findDataFile(directory, name);
        if (!path) {
            facts.add_missing(name);
            continue;
        }
        hash.add(name);
        if (auto added = addFile(hash, *path, facts); !added)
            noteError(facts, added.error().message);
    }
}

void addNamedFile(ContentHash& hash, const wire::DataPlace& place, wire::DataFacts& facts) {
    std::error_code error;
    if (!fs::exists(place.path(), error)) {
        facts.add_missing(place.path());
        return;
    }
    hash.add(place.key());
    if (auto added = addFile(hash, place.path(), facts); !added)
        noteError(facts, added.error().message);
}

}  // namespace

wire::DataFacts examineData(const wire::Examine& what) {
    wire::DataFacts facts;
    const bool areImages = what.dataset() == "image_folder";
    facts.set_needed(data::readsFiles(what.dataset()) || config::namesFiles(what.dataset()));
    facts.set_present(!facts.needed());
    if (!facts.needed()) return facts;
    ContentHash hash;
    std::vector<std::string> classes;
    if (areImages)
        addImages(hash, "data.directory", what.data_directory(), classes, facts);
    else if (data::readsFiles(what.dataset()))
        addIdxFiles(hash, what.data_directory(), facts);
    for (const wire::DataPlace& place : what.data_places())
        if (areImages)
            addImages(hash, place.key(), place.path(), classes, facts);
        else
            addNamedFile(hash, place, facts);
    facts.set_present(facts.missing().empty() && facts.error().empty());
    if (facts.present()) facts.set_fingerprint(hash.digits());
    return facts;
}

}  // namespace lockstep::launch
