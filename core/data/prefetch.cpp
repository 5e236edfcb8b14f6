// SPDX-License-Identifier: Apache-2.0
#include "core/data/prefetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "core/base/check.h"
#include "core/base/mutex.h"
#include "core/base/thread.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::uint64_t kRingBudgetBytes = 32 << 20;
constexpr std::uint64_t kLargestRingBytes = std::uint64_t{2} << 30;
constexpr std::uint32_t kFewestSlots = 2;  // one in use, one being prepared
constexpr std::uint32_t kMostSlots = 64;
constexpr Nanos kSpin = std::chrono::microseconds(20);
constexpr Nanos kNap = Millis(100);  // a bound, not a pace: the other side wakes us before

struct FreeAligned {
    void operator()(std::uint8_t* memory) const {
        ::operator delete[](memory, std::align_val_t{kAlignment});
    }
};
using AlignedBytes = std::unique_ptr<std::uint8_t[], FreeAligned>;

AlignedBytes allocateAligned(std::size_t count) {
    return AlignedBytes(new (std::align_val_t{kAlignment}) std::uint8_t[count]);
}

void pauseProcessor() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

/// A ring of slots that one thread fills and another empties. `produced_` and `consumed_` count
/// batches since the start; slot of a batch is its number modulo the ring's size. Whoever finds
/// nothing to do raises its flag and sleeps; sequentially consistent order of count and flag makes
/// sure that the other side sees the flag or the sleeper sees the count.
class RingPrefetcher final : public Prefetcher {
public:
    RingPrefetcher(std::shared_ptr<const Split> split, const BatchPlan& plan, int replica,
                   std::int64_t firstStep, std::int64_t endStep, std::uint32_t slots)
        : split_(std::move(split)),
          plan_(plan),
          replica_(replica),
          firstStep_(firstStep),
          total_(static_cast<std::uint64_t>(endStep - firstStep)),
          inputBytes_(inputBytes(*split_, plan)),
          slotBytes_(slotBytes(*split_, plan)),
          memory_(allocateAligned(slotBytes_ * slots)),
          batches_(slots),
          thread_(startThread("prefetch", [this](const std::stop_token& stop) { produce(stop); })) {
    }

    ~RingPrefetcher() override {
        thread_.request_stop();
        thread_.join();
    }
    RingPrefetcher(const RingPrefetcher&) = delete;
    RingPrefetcher& operator=(const RingPrefetcher&) = delete;

    /// Of a slot: inputs, then targets, both rounded up so that all are aligned.
    static std::size_t slotBytes(const Split& split, const BatchPlan& plan) {
        return inputBytes(split, plan) + roundUp(plan.largestShare() * split.bytesPerTarget());
    }

    Result<Batch> next(Nanos timeout) override {
        releaseLast();
        if (taken_ == total_)
            return fail(ErrorCode::NotFound,
                        fmt::format("step {} was the last one prepared",
                                    firstStep_ + static_cast<std::int64_t>(total_)));
        if (produced_.load() == taken_ && !waitForBatch(timeout))
            return fail(ErrorCode::Timeout,
                        fmt::format("no batch for step {} within {} ms",
                                    firstStep_ + static_cast<std::int64_t>(taken_),
                                    std::chrono::duration_cast<Millis>(timeout).count()));
        inUse_ = true;
        return batches_[taken_++ % batches_.size()];
    }

private:
    static std::size_t roundUp(std::size_t bytes) {
        return (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
    static std::size_t inputBytes(const Split& split, const BatchPlan& plan) {
        return roundUp(plan.largestShare() * split.bytesPerSample());
    }

    void releaseLast() {
        if (!inUse_) return;
        inUse_ = false;
        consumed_.store(taken_);
        if (producerSleeps_.load() && hasHalfFree()) wake();
    }

    bool hasHalfFree() const { return produced_.load() - consumed_.load() <= batches_.size() / 2; }

    void wake() {
        { const Lock lock(mutex_); }  // the sleeper is either before its check or in its wait
        changed_.notify_all();
    }

    bool waitForBatch(Nanos timeout) {
        const Nanos start = SteadyClock::read();
        while (SteadyClock::read() - start < std::min(kSpin, timeout)) {
            if (produced_.load() != taken_) return true;
            pauseProcessor();
        }
        Lock lock(mutex_);
        consumerSleeps_.store(true);
        const bool ready =
            changed_.wait_for(mutex_, timeout, [this] { return produced_.load() != taken_; });
        consumerSleeps_.store(false);
        return ready;
    }

    void produce(const std::stop_token& stop) {
        std::vector<std::uint32_t> order;
        std::int64_t orderedEpoch = -1;
        for (std::uint64_t number = 0; number < total_; ++number) {
            if (!waitForRoom(stop)) return;
            const std::int64_t step = firstStep_ + static_cast<std::int64_t>(number);
            if (const std::int64_t epoch = plan_.positionOf(step).epoch; epoch != orderedEpoch) {
                order = plan_.epochOrder(epoch);
                orderedEpoch = epoch;
            }
            prepare(number % batches_.size(), step, order);
            produced_.store(number + 1);
            if (consumerSleeps_.load()) wake();
        }
    }

    /// True when a slot is free; false when asked to stop.
    bool waitForRoom(const std::stop_token& stop) {
        while (produced_.load() - consumed_.load() >= batches_.size()) {
            Lock lock(mutex_);
            producerSleeps_.store(true);
            changed_.wait_for(mutex_, stop, kNap, [this] { return hasHalfFree(); });
            producerSleeps_.store(false);
            if (stop.stop_requested()) return false;
        }
        return !stop.stop_requested();
    }

    void prepare(std::size_t slot, std::int64_t step, std::span<const std::uint32_t> order) {
        const SampleRange share = plan_.share(step, replica_);
        Batch& batch = batches_[slot];
        std::uint8_t* inputs = memory_.get() + slot * slotBytes_;
        std::uint8_t* targets = inputs + inputBytes_;
        gather(*split_, order.subspan(share.first, share.count), inputs, targets);
        batch = {.step = step,
                 .epoch = plan_.positionOf(step).epoch,
                 .count = share.count,
                 .globalCount = plan_.stepSamples(step),
                 .inputs = inputs,
                 .inputKind = split_->inputKind,
                 .targets = targets};
    }

    const std::shared_ptr<const Split> split_;
    const BatchPlan plan_;
    const int replica_;
    const std::int64_t firstStep_;
    const std::uint64_t total_;
    const std::size_t inputBytes_;
    const std::size_t slotBytes_;
    const AlignedBytes memory_;
    std::vector<Batch> batches_;

    std::uint64_t taken_ = 0;  // consumer's own
    bool inUse_ = false;       // consumer's own
    alignas(kAlignment) std::atomic<std::uint64_t> produced_ = 0;
    alignas(kAlignment) std::atomic<std::uint64_t> consumed_ = 0;
    std::atomic<bool> producerSleeps_ = false;
    std::atomic<bool> consumerSleeps_ = false;
    Mutex mutex_;
    ConditionVariable changed_;
    std::jthread thread_;  // last: it uses all of the above
};

std::uint32_t slotsFor(std::uint64_t slotBytes) {
    const std::uint64_t affordable = kRingBudgetBytes / std::max<std::uint64_t>(slotBytes, 1);
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(affordable, kFewestSlots, kMostSlots));
}

}  // namespace

void gather(const Split& split, std::span<const std::uint32_t> indices, std::uint8_t* inputs,
            std::uint8_t* targets) {
    for (const std::uint32_t index : indices) {
        const auto input = split.input(index);
        inputs = std::ranges::copy(input, inputs).out;
        const auto target = split.target(index);
        targets = std::ranges::copy(target, targets).out;
    }
}

Result<std::unique_ptr<Prefetcher>> Prefetcher::start(std::shared_ptr<const Split> split,
                                                      const BatchPlan& plan, int replica,
                                                      std::int64_t firstStep, std::int64_t endStep,
                                                      std::uint32_t depth) {
    LS_CHECK(firstStep >= 0 && firstStep <= endStep, "a prefetcher runs forward");
    LS_CHECK(replica >= 0 && replica < plan.replicas(), "a replica's index is below their number");
    LS_CHECK(split->count == plan.samples(), "the plan is for this split");
    const std::uint64_t slotBytes = RingPrefetcher::slotBytes(*split, plan);
    const std::uint32_t slots = depth > 0 ? depth + 1 : slotsFor(slotBytes);
    if (slots > kFewestSlots && slots * slotBytes > kLargestRingBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("data.prefetch is {}, and a batch of a replica has {} bytes: more "
                                "than {} bytes ahead are not accepted",
                                depth, slotBytes, kLargestRingBytes),
                    "Set it to 0, which takes as many as are good, or to a smaller number.");
    try {
        return std::make_unique<RingPrefetcher>(std::move(split), plan, replica, firstStep, endStep,
                                                slots);
    } catch (const std::exception& error) {  // no memory for the ring, or no thread
        return fail(
            ErrorCode::Unavailable,
            fmt::format("cannot prepare batches in the background with {} slots of {} bytes: {}",
                        slots, slotBytes, error.what()),
            "Choose a smaller data.prefetch or training.global_batch_size, or more replicas.");
    }
}

}  // namespace lockstep::data
