// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/background_committer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "core/base/mutex.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/checkpoint/snapshot_copy.h"

namespace lockstep::checkpoint {

namespace {

constexpr std::size_t kCopies = 2;
constexpr Nanos kLetGo = std::chrono::seconds(10);  // to tell the crew, which is not waited for
constexpr Nanos kNap = Millis(200);   // a bound, not a pace: submit and stop wake the thread
constexpr Nanos kLook = Millis(100);  // at whether a commit has taken too long

/// One that was submitted.
struct Submission : SnapshotCopy {
    double stallSeconds = 0;
    Nanos submitted{};
    std::uint64_t number = 0;  ///< Of submit()'s calls.
    bool isRetry = false;
};

class Committer final : public BackgroundCommitter {
public:
    Committer(CheckpointStore store, Retention retention,
              std::function<void(const CommitReport&)> onCommitted, ShardCrew* crew,
              SlowCommits slow, std::function<void(std::int64_t)> beforeVisible)
        : store_(std::move(store)),
          retention_(std::move(retention)),
          onCommitted_(std::move(onCommitted)),
          onSlow_(std::move(slow.onSlow)),
          beforeVisible_(std::move(beforeVisible)),
          crew_(crew),
          pace_(slow.limits) {
        for (Submission& copy : copies_)
            free_.push_back(&copy);
        thread_ = startThread("checkpoint", [this](const std::stop_token& stop) { run(stop); });
        if (onSlow_)
            watch_ =
                startThread("commit-watch", [this](const std::stop_token& stop) { watch(stop); });
    }
    ~Committer() override {
        thread_.request_stop();
        thread_.join();
    }
    Committer(const Committer&) = delete;
    Committer& operator=(const Committer&) = delete;

    Result<Seconds> submit(const Snapshot& snapshot, Nanos timeout, const CopyCheck& isRight,
                           IfHung ifHung) override {
        const std::uint64_t number = beginNewest();
        auto taken = take(snapshot, timeout, ifHung);
        auto right = isRight ? isRight() : Result<void>{};
        if (!taken) return refuse(number, std::move(taken).error());
        Submission* copy = *taken;
        if (!right) {
            giveBack(copy);
            return refuse(number, std::move(right).error());
        }
        copy->number = number;
        copy->isRetry = false;
        const Seconds stall(copy->stallSeconds);
        {
            const Lock lock(mutex_);
            waiting_.push_back(copy);
        }
        changed_.notify_all();
        return stall;
    }

    bool isBusy() override {
        const Lock lock(mutex_);
        return free_.empty() && failed_ == nullptr;
    }

    bool isHung() override {
        const Lock lock(mutex_);
        return isHungAt(SteadyClock::read());
    }

    Result<void> flush(Nanos timeout) override {
        Lock lock(mutex_);
        if (changed_.wait_for(mutex_, timeout, [this]() LS_REQUIRES(mutex_) { return isIdle(); }))
            return {};
        return fail(ErrorCode::Timeout,
                    fmt::format("checkpoints were not on disk within {} ms",
                                std::chrono::duration_cast<Millis>(timeout).count()));
    }

    Result<void> finish(const LastCommitWait& wait) override {
        auto finished = awaitNewest(wait);
        if (crew_ != nullptr) letCrewGo();
        return finished;
    }

private:
    /// Of the commit under way: what this process writes, without what it waits for the others.
    struct OwnWriting {
        std::int64_t step = 0;
        Nanos begin{};  ///< Later by as much as it has waited.
        std::optional<Nanos> waitsSince{};
        bool isTold = false;
    };

    /// Those others, as the store sees them.
    class OthersTime final : public ShardCrew {
    public:
        explicit OthersTime(Committer& committer) : committer_(committer) {}
        Result<void> order(const ShardOrder& order) override {
            committer_.waitForOthers();
            auto ordered = committer_.crew_->order(order);
            committer_.goOn();
            return ordered;
        }
        Result<FileRecords> collect() override {
            committer_.waitForOthers();
            auto collected = committer_.crew_->collect();
            committer_.goOn();
            return collected;
        }

    private:
        Committer& committer_;
    };

    Result<void> awaitNewest(const LastCommitWait& wait) {
        Nanos deadline{};  // from the first that says there is no room
        for (bool isFirst = true;; isFirst = false) {
            TRY(flush(wait.flush));
            const auto error = newestError();
            if (!error) return {};
            if (isFirst) deadline = SteadyClock::read() + wait.room;
            const auto isOver = [&] {
                return SteadyClock::read() >= deadline || (wait.givesUp && wait.givesUp());
            };
            if (error->code != ErrorCode::NoRoom || isOver()) return fail(*error);
            if (isFirst && wait.onFull) wait.onFull(*error);
            const Nanos next = SteadyClock::read() + wait.pause;
            while (SteadyClock::read() < next && !isOver())
                std::this_thread::sleep_for(std::min(kNap, wait.pause));
            if (!tryAgain()) return fail(*error);
        }
    }

    void letCrewGo() {
        Lock lock(mutex_);
        crewMayGo_ = true;
        changed_.notify_all();
        changed_.wait_for(mutex_, kLetGo,
                          [this]() LS_REQUIRES(mutex_) { return crewHasGone_ || !isIdle(); });
    }

    [[nodiscard]] bool isIdle() const LS_REQUIRES(mutex_) {
        return free_.size() + (failed_ == nullptr ? 0 : 1) == kCopies;
    }

    /// Those who have kept their parts, in case a commit is tried again. Whom this does not reach
    /// says so: ShardWriter::finish().
    void dismissCrew() {
        {
            const Lock lock(mutex_);
            if (!crewMayGo_ || crewHasGone_) return;
        }
        std::ignore = crew_->order({});
        {
            const Lock lock(mutex_);
            crewHasGone_ = true;
        }
        changed_.notify_all();
    }

    Result<Submission*> take(const Snapshot& snapshot, Nanos timeout, IfHung ifHung) {
        const Nanos start = SteadyClock::read();
        Submission* copy = takeFree(start + timeout, ifHung);
        if (copy == nullptr)
            return fail(
                ErrorCode::Timeout,
                fmt::format(
                    "checkpoint of step {} skipped: the disk was still busy with "
                    "an older one after {} ms",
                    snapshot.state.step,
                    std::chrono::duration_cast<Millis>(SteadyClock::read() - start).count()),
                "Write checkpoints less often, or to a faster disk.");
        try {
            copy->assign(snapshot);
        } catch (const std::bad_alloc&) {
            giveBack(copy);
            return fail(ErrorCode::Unavailable,
                        fmt::format("checkpoint of step {} skipped: no memory for its copy",
                                    snapshot.state.step));
        }
        copy->submitted = SteadyClock::read();
        copy->stallSeconds = Seconds(copy->submitted - start).count();
        return copy;
    }

    /// Of what submit() was given last.
    std::optional<Error> newestError() {
        const Lock lock(mutex_);
        return newestError_;
    }

    /// What failed before is no longer worth keeping: there is a newer one.
    std::uint64_t beginNewest() {
        const Lock lock(mutex_);
        newestError_.reset();
        if (failed_ != nullptr) free_.push_back(std::exchange(failed_, nullptr));
        return ++newest_;
    }

    tl::unexpected<Error> refuse(std::uint64_t number, Error error) {
        settle(number, error);
        return fail(std::move(error));
    }

    void settle(std::uint64_t number, const std::optional<Error>& error) {
        const Lock lock(mutex_);
        if (number == newest_) newestError_ = error;
    }

    /// Keeps what could not be written, for as long as there is no newer one.
    void settle(Submission* copy, const std::optional<Error>& error) {
        settle(copy->number, error);
        {
            const Lock lock(mutex_);
            if (error && copy->number == newest_)
                failed_ = copy;
            else
                free_.push_back(copy);
        }
        changed_.notify_all();
    }

    bool tryAgain() {
        {
            const Lock lock(mutex_);
            if (failed_ == nullptr) return false;
            failed_->isRetry = true;
            waiting_.push_back(std::exchange(failed_, nullptr));
        }
        changed_.notify_all();
        return true;
    }

    Submission* takeFree(Nanos deadline, IfHung ifHung) {
        Lock lock(mutex_);
        while (free_.empty()) {
            const Nanos now = SteadyClock::read();
            if (now >= deadline || (ifHung == IfHung::LeaveOut && isHungAt(now))) return nullptr;
            changed_.wait_for(mutex_, std::min(kLook, deadline - now),
                              [this]() LS_REQUIRES(mutex_) { return !free_.empty(); });
        }
        Submission* copy = free_.front();
        free_.pop_front();
        return copy;
    }

    void giveBack(Submission* copy) {
        {
            const Lock lock(mutex_);
            free_.push_back(copy);
        }
        changed_.notify_all();
    }

    Submission* takeWaiting(const std::stop_token& stop) {
        Lock lock(mutex_);
        changed_.wait_for(mutex_, stop, kNap, [this]() LS_REQUIRES(mutex_) {
            return !waiting_.empty() || (crewMayGo_ && !crewHasGone_);
        });
        if (waiting_.empty()) return nullptr;
        Submission* copy = waiting_.front();
        waiting_.pop_front();
        return copy;
    }

    void begin(std::int64_t step) {
        const Lock lock(mutex_);
        writing_ = OwnWriting{.step = step, .begin = SteadyClock::read()};
    }

    void end(bool isCommitted) {
        const Lock lock(mutex_);
        if (isCommitted) pace_.add(SteadyClock::read() - writing_->begin);
        writing_.reset();
    }

    void waitForOthers() {
        const Lock lock(mutex_);
        writing_->waitsSince = SteadyClock::read();
    }

    void goOn() {
        const Lock lock(mutex_);
        writing_->begin += SteadyClock::read() - *writing_->waitsSince;
        writing_->waitsSince.reset();
    }

    [[nodiscard]] bool isHungAt(Nanos now) const LS_REQUIRES(mutex_) {
        return writing_ && !writing_->waitsSince && now - writing_->begin >= pace_.limit();
    }

    /// Tells of a commit, once, that it takes longer than it should: its own thread cannot.
    void watch(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::optional<SlowCommit> slow;
            {
                Lock lock(mutex_);
                changed_.wait_for(mutex_, stop, kLook, [] { return false; });
                const Nanos now = SteadyClock::read();
                if (isHungAt(now) && !std::exchange(writing_->isTold, true))
                    slow = SlowCommit{writing_->step, now - writing_->begin};
            }
            if (slow) onSlow_(*slow);
        }
    }

    void run(const std::stop_token& stop) {
        for (;;) {
            Submission* copy = takeWaiting(stop);
            if (copy != nullptr) {
                const CommitReport report = commit(*copy);
                if (!copy->isRetry || !report.error) onCommitted_(report);
                settle(copy, report.error);
                continue;
            }
            dismissCrew();
            if (stop.stop_requested()) return;
        }
    }

    void announce(std::int64_t step) {
        if (!beforeVisible_) return;
        waitForOthers();
        beforeVisible_(step);
        goOn();
    }

    CommitReport commit(const Submission& copy) {
        const TrainingState& state = copy.snapshot().state;
        CommitReport report;
        report.step = state.step;
        report.epoch = state.epoch;
        report.stallSeconds = copy.stallSeconds;
        begin(state.step);
        OthersTime others(*this);
        const auto committed = store_.commit(copy.snapshot(), crew_ == nullptr ? nullptr : &others,
                                             [&] { announce(state.step); });
        end(committed.has_value());
        report.commitSeconds = Seconds(SteadyClock::read() - copy.submitted).count();
        if (!committed) {
            report.error = committed.error();
            return report;
        }
        report.folder = committed->folder;
        report.bytes = committed->bytes;
        report.bestError = committed->bestError;
        std::set<std::int64_t> spared;
        if (retention_.spared) spared = retention_.spared(report.step, report.bytes);
        auto pruned = store_.prune(retention_.keep, state.best.step, spared);
        if (pruned)
            report.removed = std::move(*pruned);
        else
            report.pruneError = pruned.error();
        return report;
    }

    CheckpointStore store_;  // the thread's own after the start
    const Retention retention_;
    const std::function<void(const CommitReport&)> onCommitted_;
    const std::function<void(const SlowCommit&)> onSlow_;
    const std::function<void(std::int64_t)> beforeVisible_;
    ShardCrew* const crew_;
    std::array<Submission, kCopies> copies_;
    Mutex mutex_;
    ConditionVariable changed_;
    std::deque<Submission*> free_ LS_GUARDED_BY(mutex_);
    std::deque<Submission*> waiting_ LS_GUARDED_BY(mutex_);
    Submission* failed_ LS_GUARDED_BY(mutex_) = nullptr;      ///< The newest, to be tried again.
    std::uint64_t newest_ LS_GUARDED_BY(mutex_) = 0;          ///< Number of submit()'s last call,
    std::optional<Error> newestError_ LS_GUARDED_BY(mutex_);  ///< and why it is not durable.
    bool crewMayGo_ LS_GUARDED_BY(mutex_) = false;    ///< Nothing is to be written any more,
    bool crewHasGone_ LS_GUARDED_BY(mutex_) = false;  ///< and they have been told.
    CommitPace pace_ LS_GUARDED_BY(mutex_);
    std::optional<OwnWriting> writing_ LS_GUARDED_BY(mutex_);  ///< Of the committer's thread.
    std::jthread thread_;  // last, with the other one: they use all of the above
    std::jthread watch_;
};

}  // namespace

std::unique_ptr<BackgroundCommitter> BackgroundCommitter::start(
    CheckpointStore store, Retention retention,
    std::function<void(const CommitReport&)> onCommitted, ShardCrew* crew, SlowCommits slow,
    std::function<void(std::int64_t step)> beforeVisible) {
    return std::make_unique<Committer>(std::move(store), std::move(retention),
                                       std::move(onCommitted), crew, std::move(slow),
                                       std::move(beforeVisible));
}

}  // namespace lockstep::checkpoint
