// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_copies.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/checkpoint/arriving_checkpoint.h"
#include "core/checkpoint/checkpoint_fetcher.h"
#include "core/checkpoint/kept_mark.h"
#include "core/checkpoint/suspect_mark.h"

namespace lockstep::checkpoint {

namespace {

constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::seconds kLongestPause{30};
constexpr std::uint32_t kMostDoublings = 5;

/// The next turn looks again: it has been pruned, or nobody wants it any more.
bool isNoFailure(ErrorCode code) {
    return code == ErrorCode::NotFound || code == ErrorCode::Cancelled;
}

}  // namespace

CheckpointCopies::CheckpointCopies(CheckpointSource& source, std::filesystem::path folder, int keep,
                                   std::function<bool()> cancelled)
    : source_(source), folder_(std::move(folder)), keep_(keep), cancelled_(std::move(cancelled)) {}

std::optional<std::int64_t> CheckpointCopies::wanted(const CheckpointListing& listing) const {
    const auto isThere = [&](std::int64_t step) {
        return std::ranges::find(listing.steps, step) != listing.steps.end();
    };
    if (listing.latest && listing.latest != newest_ && isThere(*listing.latest))
        return listing.latest;
    const bool lacksBest =
        listing.best && store_ && isThere(*listing.best) &&
        !std::ranges::count(store_->list().value_or(listing.steps), *listing.best);
    return lacksBest ? listing.best : std::nullopt;
}

std::optional<CopyReport> CheckpointCopies::turn(Nanos now, const Result<void>& place) {
    if (now < notBefore_) return std::nullopt;
    const auto listing = source_.list();
    if (!listing) return std::nullopt;
    if (place) followMarks(*listing);
    const auto step = wanted(*listing);
    if (!step) return std::nullopt;
    CopyReport report;
    report.step = *step;
    const Nanos began = SteadyClock::read();
    auto copied = place ? copy(*step, *listing) : place;
    report.seconds = Seconds(SteadyClock::read() - began).count();
    if (!copied && isNoFailure(copied.error().code)) return std::nullopt;
    report.failures = copied ? std::exchange(failures_, 0) : ++failures_;
    if (copied) {
        notBefore_ = Nanos{};
        return report;
    }
    report.error = std::move(copied.error());
    const std::uint32_t doublings = std::min(failures_ - 1, kMostDoublings);
    notBefore_ = now + std::min<Nanos>(kFirstPause * (1U << doublings), kLongestPause);
    return report;
}

Result<void> CheckpointCopies::copy(std::int64_t step, const CheckpointListing& listing) {
    if (!store_)
        store_.emplace(TRY(CheckpointStore::open(folder_, CheckpointStore::Access::Write)));
    ArrivingCheckpoint(folder_, step).discardOthers();
    CheckpointFetcher fetcher(source_, folder_, cancelled_);
    TRY(fetcher.fetch(step, CheckpointFetcher::Present::IsCompared));
    followMarks(listing);
    const bool isNewest = listing.latest == step;
    TRY(store_->adopt(isNewest ? step : store_->latest().value_or(step), listing.best.value_or(0)));
    if (isNewest) newest_ = step;
    std::ignore = store_->prune(keep_, listing.best.value_or(0), {}, step);  // the next one does
    return {};
}

/// They come, and go, long after the checkpoint. What cannot be written is tried again by the next
/// turn. Of what the source has no more its copy says the last word.
void CheckpointCopies::followMarks(const CheckpointListing& listing) const {
    if (!store_) return;
    for (const std::int64_t step : store_->list().value_or(std::vector<std::int64_t>())) {
        if (std::ranges::find(listing.steps, step) == listing.steps.end()) continue;
        const auto told = std::ranges::find(listing.suspects, step, &Suspicion::step);
        const auto own = suspicionOf(folder_, step);
        if (told == listing.suspects.end() && own)
            std::ignore = removeSuspicion(folder_, step);
        else if (told != listing.suspects.end() && own != *told)
            std::ignore = markSuspect(folder_, *told);
        const bool keeps = std::ranges::count(listing.kept, step) > 0;
        if (keeps != isKept(folder_, step)) std::ignore = markKept(folder_, step, keeps);
    }
}

}  // namespace lockstep::checkpoint
