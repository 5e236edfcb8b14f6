// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/background_committer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <thread>

#include "core/base/mutex.h"
#include "core/base/thread.h"

namespace lockstep::checkpoint {

namespace {

constexpr std::size_t kCopies = 2;
constexpr Nanos kNap = Millis(200);  // a bound, not a pace: submit and stop wake the thread

/// A snapshot with its own memory, which is reused from one checkpoint to the next.
class SnapshotCopy {
public:
    void assign(const Snapshot& source) {
        std::size_t total = 0;
        for (const auto* tensors : {&source.model, &source.optimizer})
            for (const TensorRef& tensor : *tensors)
                total += tensor.values.size();
        values_.resize(total);
        snapshot_ = source;
        float* place = values_.data();
        for (auto* tensors : {&snapshot_.model, &snapshot_.optimizer})
            for (TensorRef& tensor : *tensors) {
                std::copy(tensor.values.begin(), tensor.values.end(), place);
                tensor.values = std::span<const float>(place, tensor.values.size());
                place += tensor.values.size();
            }
    }
    [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

    double stallSeconds = 0;
    Nanos submitted{};

private:
    std::vector<float> values_;
    Snapshot snapshot_;
};

class Committer final : public BackgroundCommitter {
public:
    Committer(CheckpointStore store, int keep, std::function<void(const CommitReport&)> onCommitted)
        : store_(std::move(store)), keep_(keep), onCommitted_(std::move(onCommitted)) {
        for (SnapshotCopy& copy : copies_)
            free_.push_back(&copy);
        thread_ = startThread("checkpoint", [this](const std::stop_token& stop) { run(stop); });
    }
    ~Committer() override {
        thread_.request_stop();
        thread_.join();
    }
    Committer(const Committer&) = delete;
    Committer& operator=(const Committer&) = delete;

    Result<Seconds> submit(const Snapshot& snapshot, Nanos timeout) override {
        const Nanos start = SteadyClock::read();
        SnapshotCopy* copy = takeFree(timeout);
        if (copy == nullptr)
            return fail(
                ErrorCode::Timeout,
                fmt::format("checkpoint of step {} skipped: the disk was still busy with an "
                            "older one after {} ms",
                            snapshot.state.step,
                            std::chrono::duration_cast<Millis>(timeout).count()),
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
        const Seconds stall = copy->submitted - start;
        copy->stallSeconds = stall.count();
        {
            const Lock lock(mutex_);
            waiting_.push_back(copy);
        }
        changed_.notify_all();
        return stall;
    }

    Result<void> flush(Nanos timeout) override {
        Lock lock(mutex_);
        if (changed_.wait_for(mutex_, timeout, [this] { return free_.size() == kCopies; }))
            return {};
        return fail(ErrorCode::Timeout,
                    fmt::format("checkpoints were not on disk within {} ms",
                                std::chrono::duration_cast<Millis>(timeout).count()));
    }

private:
    SnapshotCopy* takeFree(Nanos timeout) {
        Lock lock(mutex_);
        if (!changed_.wait_for(mutex_, timeout, [this] { return !free_.empty(); })) return nullptr;
        SnapshotCopy* copy = free_.front();
        free_.pop_front();
        return copy;
    }

    void giveBack(SnapshotCopy* copy) {
        {
            const Lock lock(mutex_);
            free_.push_back(copy);
        }
        changed_.notify_all();
    }

    SnapshotCopy* takeWaiting(const std::stop_token& stop) {
        Lock lock(mutex_);
        changed_.wait_for(mutex_, stop, kNap, [this] { return !waiting_.empty(); });
        if (waiting_.empty()) return nullptr;
        SnapshotCopy* copy = waiting_.front();
        waiting_.pop_front();
        return copy;
    }

    void run(const std::stop_token& stop) {
        for (;;) {
            SnapshotCopy* copy = takeWaiting(stop);
            if (copy != nullptr) {
                onCommitted_(commit(*copy));
                giveBack(copy);
            } else if (stop.stop_requested()) {
                return;
            }
        }
    }

    CommitReport commit(const SnapshotCopy& copy) {
        const TrainingState& state = copy.snapshot().state;
        CommitReport report;
        report.step = state.step;
        report.epoch = state.epoch;
        report.stallSeconds = copy.stallSeconds;
        const auto committed = store_.commit(copy.snapshot());
        report.commitSeconds = Seconds(SteadyClock::read() - copy.submitted).count();
        if (!committed) {
            report.error = committed.error();
            return report;
        }
        report.folder = committed->folder;
        report.bytes = committed->bytes;
        report.bestError = committed->bestError;
        if (const auto pruned = store_.prune(keep_, state.best.step); !pruned)
            report.pruneError = pruned.error();
        return report;
    }

    CheckpointStore store_;  // the thread's own after the start
    const int keep_;
    const std::function<void(const CommitReport&)> onCommitted_;
    std::array<SnapshotCopy, kCopies> copies_;
    Mutex mutex_;
    ConditionVariable changed_;
    std::deque<SnapshotCopy*> free_ LS_GUARDED_BY(mutex_);
    std::deque<SnapshotCopy*> waiting_ LS_GUARDED_BY(mutex_);
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<BackgroundCommitter> BackgroundCommitter::start(
    CheckpointStore store, int keep, std::function<void(const CommitReport&)> onCommitted) {
    return std::make_unique<Committer>(std::move(store), keep, std::move(onCommitted));
}

}  // namespace lockstep::checkpoint
