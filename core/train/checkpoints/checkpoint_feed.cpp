// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_feed.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"

namespace lockstep::train {

namespace {

using checkpoint::CheckpointStore;
using checkpoint::LoadedCheckpoint;

class FolderFeed final : public CheckpointFeed {
public:
    explicit FolderFeed(const std::filesystem::path& folder)
        : folder_(folder), follower_(folder, {}) {}

    std::optional<Found> poll(Nanos now) override { return follower_.poll(now); }
    void skip(std::int64_t step) override { follower_.skip(step); }
    Result<std::int64_t> latest() override {
        const auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        return store ? store->latest() : Result<std::int64_t>(fail(store.error()));
    }
    Result<std::int64_t> best() override {
        const auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        return store ? store->best() : Result<std::int64_t>(fail(store.error()));
    }
    Result<LoadedCheckpoint> load(std::int64_t step) override {
        const auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        return store ? store->load(step) : Result<LoadedCheckpoint>(fail(store.error()));
    }

private:
    std::filesystem::path folder_;
    checkpoint::CheckpointFollower follower_;
};

class FetchedFeed final : public CheckpointFeed {
public:
    FetchedFeed(checkpoint::CheckpointSource& source, const std::filesystem::path& folder,
                std::function<bool()> cancelled)
        : source_(source), folder_(folder), fetcher_(source, folder, std::move(cancelled)) {}

    std::optional<Found> poll(Nanos now) override;
    void skip(std::int64_t step) override { seen_.insert(step); }
    Result<std::int64_t> latest() override {
        return pointer(&checkpoint::CheckpointListing::latest);
    }
    Result<std::int64_t> best() override { return pointer(&checkpoint::CheckpointListing::best); }
    Result<LoadedCheckpoint> load(std::int64_t step) override;

private:
    static constexpr int kAttempts = 3;
    static constexpr Millis kRetryAfter{500};

    Result<std::int64_t> pointer(std::optional<std::int64_t> checkpoint::CheckpointListing::*which);

    checkpoint::CheckpointSource& source_;
    std::filesystem::path folder_;
    checkpoint::CheckpointFetcher fetcher_;
    std::set<std::int64_t> seen_;
    std::map<std::int64_t, int> failures_;
    Nanos notBefore_{};
};

std::optional<CheckpointFeed::Found> FetchedFeed::poll(Nanos now) {
    if (now < notBefore_) return std::nullopt;
    const auto listing = source_.list();
    if (!listing) return std::nullopt;  // the connection tells its own end
    for (const std::int64_t step : listing->steps) {
        if (seen_.contains(step)) continue;
        auto content = load(step);
        if (!content && content.error().code == ErrorCode::NotFound) continue;  // pruned meanwhile
        const bool isCutOff = !content && (content.error().code == ErrorCode::Timeout ||
                                           content.error().code == ErrorCode::PeerLost ||
                                           content.error().code == ErrorCode::Cancelled);
        if (isCutOff) return std::nullopt;  // gone on with at the next poll
        if (!content && ++failures_[step] < kAttempts) {
            notBefore_ = now + kRetryAfter;  // newer ones wait, to keep the order
            return std::nullopt;
        }
        failures_.erase(step);
        seen_.insert(step);
        return Found{step, std::move(content)};
    }
    return std::nullopt;
}

Result<LoadedCheckpoint> FetchedFeed::load(std::int64_t step) {
    TRY(fetcher_.fetch(step));
    const auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
    auto loaded = store ? store->load(step) : Result<LoadedCheckpoint>(fail(store.error()));
    fetcher_.forget(step);  // what is needed of it is in memory
    return loaded;
}

Result<std::int64_t> FetchedFeed::pointer(
    std::optional<std::int64_t> checkpoint::CheckpointListing::*which) {
    const auto listing = TRY(source_.list());
    if (const auto step = listing.*which) return *step;
    return fail(ErrorCode::NotFound, "the run has no such checkpoint");
}

}  // namespace

std::unique_ptr<CheckpointFeed> feedFromFolder(const std::filesystem::path& checkpoints) {
    return std::make_unique<FolderFeed>(checkpoints);
}

std::unique_ptr<CheckpointFeed> feedFromSource(checkpoint::CheckpointSource& source,
                                               const std::filesystem::path& checkpoints,
                                               std::function<bool()> cancelled) {
    return std::make_unique<FetchedFeed>(source, checkpoints, std::move(cancelled));
}

}  // namespace lockstep::train
