// SPDX-License-Identifier: Apache-2.0
#include "core/train/chief.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <tuple>

#include "core/base/record_clock.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/train/checkpoints/commit_patience.h"
#include "core/train/checkpoints/scored_steps.h"
#include "core/train/checkpoints/state_tensors.h"

namespace lockstep::train {

namespace {
constexpr std::chrono::seconds kBestTimeout{300};
constexpr std::chrono::seconds kStepsPatience{2};  // theirs take milliseconds
constexpr std::size_t kMostNotices = 100;          // the summary holds them all
constexpr std::size_t kMostStepsNamed = 8;

/// Nothing where nothing is right or wrong.
std::string accuracyText(std::string_view name, double value) {
    return std::isnan(value) ? std::string() : fmt::format("{} {:.4f}", name, value);
}
}  // namespace

Result<std::unique_ptr<Chief>> Chief::open(coordination::Client& client, Options options) {
    auto store = TRY(checkpoint::CheckpointStore::open(options.checkpoints,
                                                       checkpoint::CheckpointStore::Access::Write));
    const auto present = TRY(store.list());
    auto chief = std::unique_ptr<Chief>(new Chief(client, std::move(options)));
    checkpoint::Retention retention{.keep = chief->options_.keep};
    if (chief->options_.hasEvaluator) {
        TRY(chief->offerPresent(present));
        retention.spared = [raw = chief.get()](std::int64_t step, std::uint64_t) {
            return raw->awaited(step);
        };
    }
    chief->committer_ = checkpoint::BackgroundCommitter::start(
        std::move(store), std::move(retention),
        [raw = chief.get()](const checkpoint::CommitReport& report) { raw->committed(report); },
        &chief->crew_,
        {.onSlow =
             [raw = chief.get()](const checkpoint::SlowCommit& slow) { raw->slowCommit(slow); }},
        [raw = chief.get()](std::int64_t step) { raw->awaitSteps(step); });
    return chief;
}

/// What lies there already and has no score in the journal's present timeline.
Result<void> Chief::offerPresent(const std::vector<std::int64_t>& present) {
    ScoredSteps scored;
    if (!present.empty())
        scored = readScoredSteps(options_.checkpoints.parent_path() / "journal", present.back());
    std::vector<std::int64_t> unscored;
    for (const std::int64_t step : present)
        if (!scored.checkpoints.contains(step)) unscored.push_back(step);
    const std::int64_t newest = present.empty() ? 0 : present.back();
    spared_ = TRY(scoring_.begin(newest, unscored, scored.tests));
    return {};
}

/// What evaluators have not scored yet. While the coordinator does not answer, nothing goes.
std::set<std::int64_t> Chief::awaited(std::int64_t step) {
    spared_.insert(step);
    unoffered_.push_back(step);
    offerUnoffered();
    return spared_;
}

/// What was not answered is offered again with the next one: else it would neither be scored nor
/// named.
void Chief::offerUnoffered() {
    auto spared = scoring_.offer(unoffered_);
    if (!spared) return;
    spared_ = std::move(*spared);
    unoffered_.clear();
}

void Chief::stateChanged(wire::RunState state, const std::string& sentence) {
    wire::Record record;
    record.mutable_run_state()->set_state(state);
    record.mutable_run_state()->set_sentence(sentence);
    tell(std::move(record));
}

void Chief::epochEnded(const wire::EpochResult& result) {
    wire::Record record;
    *record.mutable_epoch() = result;
    tell(std::move(record));
    const auto step = static_cast<std::int64_t>(result.step());
    std::string line = fmt::format("epoch {}: loss {:.4f}", result.epoch(), result.train_loss());
    line += accuracyText(", accuracy", result.train_accuracy());
    for (const wire::NamedFigure& one : result.train_figures())
        figure("train/" + one.name(), step, one.value());
    if (result.has_validation()) {
        line += fmt::format(", validation loss {:.4f}", result.validation_loss());
        line += accuracyText(", validation accuracy", result.validation_accuracy());
    }
    for (const wire::NamedFigure& one : result.validation_figures()) {
        figure("validation/" + one.name(), step, one.value());
        line += fmt::format(", validation {} {:.4g}", one.name(), one.value());
    }
    std::fprintf(stderr, "%s, %.1f s\n", line.c_str(), result.seconds());
}

void Chief::figure(std::string_view name, std::int64_t step, double value) {
    figures_.add(name, static_cast<std::uint64_t>(step), recordSeconds(), value);
    std::vector<wire::Record> records;
    figures_.take(records);
    for (wire::Record& record : records)
        tell(std::move(record));
    for (const std::string& complaint : figures_.takeComplaints())
        notice(complaint);
}

void Chief::stoppedEarly(const std::string& sentence) {
    stateChanged(wire::RUN_STATE_TRAINING, "stopping early: " + sentence);
    std::fprintf(stderr, "stopping early: %s\n", sentence.c_str());
}

void Chief::notice(const std::string& sentence) {
    std::fprintf(stderr, "warning: %s\n", sentence.c_str());
    {
        const Lock lock(mutex_);
        if (notices_.size() < kMostNotices)
            notices_.push_back(sentence);
        else if (notices_.size() == kMostNotices)
            notices_.emplace_back("more warnings came: the log has them");
    }
    wire::Record record;
    record.mutable_notice()->set_role(wire::ROLE_WORKER);
    record.mutable_notice()->set_sentence(sentence);
    tell(std::move(record));
}

std::vector<std::string> Chief::notices() {
    const Lock lock(mutex_);
    return notices_;
}

/// The best one may not have come to the disk: then the one that BEST names is the best there is.
Result<checkpoint::LoadedCheckpoint> Chief::bestCheckpoint(std::int64_t step) {
    TRY(committer_->flush(kBestTimeout));
    auto store = TRY(checkpoint::CheckpointStore::open(options_.checkpoints,
                                                       checkpoint::CheckpointStore::Access::Read));
    auto best = store.load(step);
    const auto named = store.best();
    if (!best && named && *named != step)
        if (auto former = store.load(*named)) best = std::move(former);
    if (best) modernise(*best, options_.formerRate);
    return best;
}

Result<void> Chief::finish(const std::function<bool()>& givesUp) {
    if (const std::string refused = figures_.refusedInAll(); !refused.empty()) notice(refused);
    checkpoint::LastCommitWait wait;
    wait.givesUp = givesUp;
    wait.onFull = [this, &wait](const Error& error) {
        notice(fmt::format(
            "there is no room for the last checkpoint: {}; it is tried again for {} minutes: free "
            "space for {}",
            error.message, std::chrono::duration_cast<std::chrono::minutes>(wait.room).count(),
            options_.checkpoints.string()));
    };
    const auto finished = committer_->finish(wait);
    tellSkipped();
    if (finished) {
        if (!unoffered_.empty() && !(givesUp && givesUp())) offerUnoffered();
        return {};
    }
    std::error_code unreadable;
    const bool isThere = std::filesystem::is_directory(options_.checkpoints, unreadable);
    return fail(
        ErrorCode::Io,
        fmt::format("the last checkpoint could not be written: {}; {}", finished.error().message,
                    newestOnDisk()),
        fmt::format(
            "Training is complete, but its result is lost: {}, then --resume trains "
            "on from the newest checkpoint.",
            isThere ? "free space in the run folder" : "put the run folder back where it was"));
}

std::string Chief::newestOnDisk() const {
    auto store = checkpoint::CheckpointStore::open(options_.checkpoints,
                                                   checkpoint::CheckpointStore::Access::Read);
    const auto latest = store ? store->latest() : Result<std::int64_t>(fail(store.error()));
    return latest ? fmt::format("the newest on disk is of step {}", *latest)
                  : "there is none on disk";
}

void Chief::checkpoint(const checkpoint::Snapshot& snapshot, bool isLast,
                       const checkpoint::CopyCheck& isRight) {
    const auto ifHung =
        isLast || snapshot.isBest ? checkpoint::IfHung::WaitOn : checkpoint::IfHung::LeaveOut;
    const Nanos start = SteadyClock::read();
    Nanos waited{};
    bool isDenied = false;
    const auto check = [&]() -> Result<void> {
        waited = SteadyClock::read() - start;
        auto right = isRight ? isRight() : Result<void>{};
        isDenied = !right.has_value();
        return right;
    };
    auto taken = committer_->submit(snapshot, commitPatience(isLast), check, ifHung);
    if (taken || isDenied) return;  // what denies it ends the run, and is told with that
    const bool isBusy = taken.error().code == ErrorCode::Timeout;
    if (isBusy) {
        const Lock lock(mutex_);
        skipped_.push_back(snapshot.state.step);
    }
    committed({.step = snapshot.state.step,
               .epoch = snapshot.state.epoch,
               .folder = {},
               .stallSeconds = isBusy ? Seconds(waited).count() : 0.0,
               .error = taken.error(),
               .bestError = {},
               .pruneError = {},
               .removed = {}});
}

/// On a thread of its own: that of the committer waits for the disk.
void Chief::slowCommit(const checkpoint::SlowCommit& slow) {
    notice(
        fmt::format("the checkpoint of step {} is still being written after {:.0f} s: its disk is "
                    "slow or hangs",
                    slow.step, std::floor(Seconds(slow.age).count())));
}

/// What was left out while the disk was busy, once it is known how much that was.
void Chief::tellSkipped() {
    std::vector<std::int64_t> skipped;
    {
        const Lock lock(mutex_);
        skipped.swap(skipped_);
    }
    if (skipped.empty()) return;
    if (skipped.size() == 1)
        return notice(fmt::format(
            "the checkpoint of step {} was left out while the disk was busy with an older one",
            skipped.front()));
    const bool isLong = skipped.size() > kMostStepsNamed;
    const std::span named(skipped.data(), std::min(skipped.size(), kMostStepsNamed));
    notice(fmt::format(
        "{} checkpoints were left out while the disk was busy with an older one: of steps {}{}",
        skipped.size(), fmt::join(named, ", "), isLong ? ", ..." : ""));
}

void Chief::tell(wire::Record record) {
    if (auto sent = client_.sendRecord(std::move(record)); !sent)
        std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

/// A run that goes on from the checkpoint trains none of its steps again. Whoever has not told
/// theirs by then never will: they are counted as missing, which costs less than the checkpoint.
void Chief::awaitSteps(std::int64_t step) {
    std::ignore = steps_.await(step, kStepsPatience);
}

void Chief::committed(const checkpoint::CommitReport& report) {
    wire::Record record;
    wire::CheckpointEvent& event = *record.mutable_checkpoint();
    event.set_step(static_cast<std::uint64_t>(report.step));
    event.set_epoch(static_cast<std::uint32_t>(report.epoch));
    event.set_path(fmt::format("checkpoints/step-{}", report.step));
    event.set_bytes(report.bytes);
    event.set_stall_seconds(report.stallSeconds);
    event.set_commit_seconds(report.commitSeconds);
    event.set_verified_identical(!report.error);  // none is kept that replicas have not compared
    if (report.error) {
        event.set_error(report.error->message);
        std::fprintf(stderr, "warning: no checkpoint of step %lld: %s\n",
                     static_cast<long long>(report.step), report.error->message.c_str());
    }
    if (report.bestError && !std::exchange(saidBest_, true))
        notice(fmt::format("step {} is the best so far, but BEST does not say so: {}", report.step,
                           report.bestError->message));
    if (report.pruneError && !std::exchange(saidPrune_, true))
        notice("old checkpoints could not be removed: " + report.pruneError->message);
    tell(std::move(record));
    if (!report.error) tellSkipped();
}

}  // namespace lockstep::train
