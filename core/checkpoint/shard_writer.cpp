// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/shard_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <thread>
#include <utility>

#include "core/base/mutex.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/snapshot_copy.h"

namespace lockstep::checkpoint {

namespace {

constexpr Nanos kNap = Millis(500);   // between looks at whether to end
constexpr Nanos kLook = Millis(100);  // at whether a part has taken too long
/// The order may come before this process has reached the step's end.
constexpr Nanos kSubmitTimeout{std::chrono::seconds(60)};

class Writer final : public ShardWriter {
public:
    Writer(std::filesystem::path checkpoints, std::unique_ptr<ShardDesk> desk, CommitLimits limits)
        : checkpoints_(std::move(checkpoints)), desk_(std::move(desk)), pace_(limits) {
        thread_ = startThread("shard", [this](const std::stop_token& stop) { run(stop); });
    }
    ~Writer() override {
        thread_.request_stop();
        thread_.join();
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void submit(const Snapshot& snapshot, Nanos timeout, bool isLast,
                const CopyCheck& isRight) override {
        const Nanos start = SteadyClock::read();
        Slot* slot = takeSlot(start + timeout,
                              isLast || snapshot.isBest ? IfHung::WaitOn : IfHung::LeaveOut);
        Result<void> taken;
        if (slot == nullptr) {
            taken =
                fail(ErrorCode::Timeout,
                     fmt::format(
                         "its part was skipped: the disk was still busy with an older "
                         "one after {} ms",
                         std::chrono::duration_cast<Millis>(SteadyClock::read() - start).count()));
        } else {
            try {
                slot->copy.assign(snapshot);
            } catch (const std::bad_alloc&) {
                taken = fail(ErrorCode::Unavailable, "no memory for a copy of its part");
            }
        }
        if (isRight)
            if (const auto right = isRight(); !right && taken)
                taken = fail(ErrorCode::Internal,
                             "its replica did not agree on it: " + right.error().message);
        {
            const Lock lock(mutex_);
            newest_ = snapshot.number;
            if (slot != nullptr) slot->state = taken ? State::Waiting : State::Free;
            if (slot != nullptr) slot->number = snapshot.number;
            isLast_ = isLast;
            refused_.clear();
            if (!taken) refused_ = taken.error().message;
        }
        changed_.notify_all();
    }

    bool isBusy() override {
        const Lock lock(mutex_);
        return std::ranges::none_of(slots_,
                                    [](const Slot& slot) { return slot.state == State::Free; });
    }

    Result<void> finish(Nanos timeout) override {
        Lock lock(mutex_);
        if (changed_.wait_for(mutex_, timeout, [this]() LS_REQUIRES(mutex_) { return over_; }))
            return {};
        return fail(ErrorCode::Timeout, "nobody said that the last checkpoint is complete");
    }

private:
    enum class State : std::uint8_t { Free, Filling, Waiting, Writing, Written };
    struct Slot {
        SnapshotCopy copy;
        std::uint64_t number = 0;
        State state = State::Free;
        Nanos since{};  ///< Being written.
    };

    /// As BackgroundCommitter's. What waits for its order says nothing of the disk, and may never
    /// get one.
    [[nodiscard]] bool isHungAt(Nanos now) const LS_REQUIRES(mutex_) {
        return std::ranges::any_of(slots_, [&](const Slot& slot) LS_REQUIRES(mutex_) {
            return slot.state == State::Writing && now - slot.since >= pace_.limit();
        });
    }

    Slot* takeSlot(Nanos deadline, IfHung ifHung) {
        Lock lock(mutex_);
        Slot* found = nullptr;
        const auto isThere = [this, &found]() LS_REQUIRES(mutex_) {
            for (Slot& slot : slots_)
                if (slot.state == State::Free) found = &slot;
            return found != nullptr;
        };
        while (!isThere()) {
            const Nanos now = SteadyClock::read();
            if (now >= deadline || (ifHung == IfHung::LeaveOut && isHungAt(now))) return nullptr;
            changed_.wait_for(mutex_, std::min(kLook, deadline - now), isThere);
        }
        found->state = State::Filling;
        return found;
    }

    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const auto order = desk_->next(kNap);
            if (order && !*order) continue;
            if (!order || (*order)->isLast()) break;
            const auto written = carryOut(**order, stop);
            if (!answer(written, stop)) break;
        }
        {
            const Lock lock(mutex_);
            over_ = true;
        }
        changed_.notify_all();
    }

    /// A coordinator that is busy is asked again: whoever did not answer would be waited for at
    /// every checkpoint to come.
    bool answer(const Result<FileRecords>& written, const std::stop_token& stop) {
        for (;;) {
            const auto reported = desk_->report(written);
            if (reported) return true;
            if (reported.error().code != ErrorCode::Timeout || stop.stop_requested()) return false;
        }
    }

    Result<FileRecords> carryOut(const ShardOrder& order, const std::stop_token& stop) {
        Slot* slot = TRY(slotOf(order.number, stop));
        auto written = writeShards(checkpoints_ / order.folder, slot->copy.snapshot());
        {
            const Lock lock(mutex_);
            if (written) pace_.add(SteadyClock::read() - slot->since);
            const bool isKept = isLast_ && slot->number == newest_;
            if (!isKept) slot->copy.clear();
            slot->state = isKept ? State::Written : State::Free;
        }
        changed_.notify_all();
        return written;
    }

    /// Older ones will not be asked for any more.
    Result<Slot*> slotOf(std::uint64_t number, const std::stop_token& stop) {
        Lock lock(mutex_);
        for (Slot& slot : slots_)
            if (slot.state == State::Waiting && slot.number < number) {
                slot.copy.clear();
                slot.state = State::Free;
            }
        changed_.notify_all();
        changed_.wait_for(mutex_, stop, kSubmitTimeout,
                          [this, number]() LS_REQUIRES(mutex_) { return newest_ >= number; });
        for (Slot& slot : slots_) {
            const bool isKept = slot.state == State::Waiting || slot.state == State::Written;
            if (!isKept || slot.number != number) continue;
            slot.state = State::Writing;
            slot.since = SteadyClock::read();
            return &slot;
        }
        if (newest_ < number)
            return fail(ErrorCode::Timeout, "it has not come to the end of the step");
        return fail(ErrorCode::Unavailable,
                    refused_.empty() ? "it has no longer a copy of its part" : refused_);
    }

    const std::filesystem::path checkpoints_;
    const std::unique_ptr<ShardDesk> desk_;  // the thread's own
    Mutex mutex_;
    ConditionVariable changed_;
    std::array<Slot, 2> slots_;  ///< Their states under the mutex; the copy is its state's owner's.
    std::uint64_t newest_ LS_GUARDED_BY(mutex_) = 0;  ///< Number of submit()'s last call,
    std::string refused_ LS_GUARDED_BY(mutex_);       ///< and why it was not taken.
    CommitPace pace_ LS_GUARDED_BY(mutex_);
    bool isLast_ LS_GUARDED_BY(mutex_) = false;
    bool over_ LS_GUARDED_BY(mutex_) = false;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<ShardWriter> ShardWriter::start(std::filesystem::path checkpoints,
                                                std::unique_ptr<ShardDesk> desk,
                                                CommitLimits limits) {
    return std::make_unique<Writer>(std::move(checkpoints), std::move(desk), limits);
}

}  // namespace lockstep::checkpoint
