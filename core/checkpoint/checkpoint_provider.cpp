// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_provider.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_files.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/kept_mark.h"
#include "core/checkpoint/layout.h"

namespace lockstep::checkpoint {

namespace {

constexpr std::chrono::seconds kPlaceKept{30};

Result<std::string> readPiece(int folder, const std::string& file, std::uint64_t offset,
                              std::uint32_t length) {
    const auto fd = TRY(openFileOf(folder, file));
    std::string piece(length, '\0');
    std::size_t filled = 0;
    while (filled < piece.size()) {
        const ssize_t got = ::pread(fd.get(), piece.data() + filled, piece.size() - filled,
                                    static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return fail(ErrorCode::Io, fmt::format("cannot read {}: {}", file, errnoText()));
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    piece.resize(filled);
    return piece;
}

}  // namespace

Result<CheckpointListing> CheckpointProvider::list() const {
    const auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
    if (!store) return CheckpointListing{};
    auto steps = TRY(store->list());
    CheckpointListing listing;
    for (const std::int64_t step : steps) {
        if (auto suspicion = suspicionOf(folder_, step))
            listing.suspects.push_back(std::move(*suspicion));
        if (isKept(folder_, step)) listing.kept.push_back(step);
    }
    listing.steps = std::move(steps);
    if (const auto latest = store->latest()) listing.latest = *latest;
    if (const auto best = store->best()) listing.best = *best;
    return listing;
}

Result<CheckpointProvider::Place*> CheckpointProvider::placeOf(const std::string& reader,
                                                               std::int64_t step, Nanos now) {
    const auto known = places_.find(reader);
    if (known != places_.end() && known->second.step == step) {
        known->second.usedAt = now;
        return &known->second;
    }
    places_.erase(reader);
    const auto store = TRY(CheckpointStore::open(folder_, CheckpointStore::Access::Read));
    auto lease = TRY(store.lease(step));
    auto manifest = TRY(readManifest(lease.folder(), step));
    Place& place = places_[reader];
    place = {step, std::move(lease), std::move(manifest), now};
    return &place;
}

Result<std::string> CheckpointProvider::read(const std::string& reader, std::int64_t step,
                                             const std::string& file, std::uint64_t offset,
                                             std::uint32_t length, Nanos now) {
    if (length == 0 || length > kLargestPiece)
        return fail(ErrorCode::BadInput, fmt::format("a piece has 1 to {} bytes", kLargestPiece));
    // Who begins anew begins with what lies there now: the step may have been committed again.
    if (file == kManifestFile && offset == 0) places_.erase(reader);
    auto place = TRY(placeOf(reader, step, now));
    const bool isListed = file == kManifestFile || place->manifest.files.contains(file);
    if (!isListed || (file != kManifestFile && !isFileOfCheckpoint(file)))
        return fail(ErrorCode::BadInput, fmt::format("the checkpoint of step {} has no file {}",
                                                     step, sanitizeLine(file, 80)));
    return readPiece(place->lease.folder(), file, offset, length);
}

void CheckpointProvider::release(Nanos now) {
    std::erase_if(places_,
                  [now](const auto& entry) { return now - entry.second.usedAt > kPlaceKept; });
}

}  // namespace lockstep::checkpoint
