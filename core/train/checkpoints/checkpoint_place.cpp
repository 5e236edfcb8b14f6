// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_place.h"

#include <chrono>
#include <thread>
#include <utility>

#include "core/base/try.h"
#include "core/checkpoint/checkpoint_fetcher.h"
#include "core/checkpoint/checkpoint_store.h"

namespace lockstep::train {

namespace {

using checkpoint::CheckpointStore;
using checkpoint::Contents;
using checkpoint::LoadedCheckpoint;

constexpr int kAttempts = 3;
constexpr std::chrono::milliseconds kRetryAfter{500};

Result<CheckpointStore> storeIn(const std::filesystem::path& folder) {
    return CheckpointStore::open(folder, CheckpointStore::Access::Read);
}

class FolderPlace final : public CheckpointPlace {
public:
    explicit FolderPlace(std::filesystem::path folder) : folder_(std::move(folder)) {}

    Result<std::int64_t> latest() override { return TRY(storeIn(folder_)).latest(); }
    Result<std::int64_t> best() override { return TRY(storeIn(folder_)).best(); }
    Result<LoadedCheckpoint> load(std::int64_t step) override {
        return TRY(storeIn(folder_)).load(step, Contents::Model);
    }

private:
    std::filesystem::path folder_;
};

class FetchingPlace final : public CheckpointPlace {
public:
    FetchingPlace(checkpoint::CheckpointSource& source, const std::filesystem::path& folder,
                  std::function<bool()> cancelled)
        : source_(source),
          folder_(folder),
          fetcher_(source, folder, std::move(cancelled), Contents::Model) {}

    Result<std::int64_t> latest() override {
        return pointer(&checkpoint::CheckpointListing::latest);
    }
    Result<std::int64_t> best() override { return pointer(&checkpoint::CheckpointListing::best); }
    Result<LoadedCheckpoint> load(std::int64_t step) override;

private:
    Result<std::int64_t> pointer(std::optional<std::int64_t> checkpoint::CheckpointListing::*which);

    checkpoint::CheckpointSource& source_;
    std::filesystem::path folder_;
    checkpoint::CheckpointFetcher fetcher_;
};

Result<LoadedCheckpoint> FetchingPlace::load(std::int64_t step) {
    TRY(fetcher_.fetch(step));
    const auto store = storeIn(folder_);
    auto loaded =
        store ? store->load(step, Contents::Model) : Result<LoadedCheckpoint>(fail(store.error()));
    fetcher_.forget(step);  // what is needed of it is in memory
    return loaded;
}

Result<std::int64_t> FetchingPlace::pointer(
    std::optional<std::int64_t> checkpoint::CheckpointListing::*which) {
    const auto listing = TRY(source_.list());
    if (const auto step = listing.*which) return *step;
    return fail(ErrorCode::NotFound, "the run has no such checkpoint");
}

bool isCutOff(ErrorCode code) {
    return code == ErrorCode::Timeout || code == ErrorCode::PeerLost ||
           code == ErrorCode::Cancelled;
}

}  // namespace

std::unique_ptr<CheckpointPlace> placeInFolder(const std::filesystem::path& checkpoints) {
    return std::make_unique<FolderPlace>(checkpoints);
}

std::unique_ptr<CheckpointPlace> placeBehindSource(checkpoint::CheckpointSource& source,
                                                   const std::filesystem::path& checkpoints,
                                                   std::function<bool()> cancelled) {
    return std::make_unique<FetchingPlace>(source, checkpoints, std::move(cancelled));
}

Result<LoadedCheckpoint> loadPatiently(CheckpointPlace& place, std::int64_t step,
                                       const std::function<bool()>& cancelled) {
    for (int attempt = 1;;) {
        auto loaded = place.load(step);
        if (loaded || loaded.error().code == ErrorCode::NotFound || cancelled()) return loaded;
        if (!isCutOff(loaded.error().code) && attempt++ == kAttempts) return loaded;
        std::this_thread::sleep_for(kRetryAfter);
    }
}

}  // namespace lockstep::train
