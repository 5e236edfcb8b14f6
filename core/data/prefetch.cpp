// SPDX-License-Identifier: Apache-2.0
#include "core/data/prefetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/check.h"
#include "core/base/mutex.h"
#include "core/base/thread.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kAlignment = BatchMaker::kAlignment;
constexpr unsigned kWaitsForAThread = 4;
constexpr std::uint64_t kRingBudgetBytes = 32 << 20;
/// Where several threads prepare large batches, each has one of its own while another is in use.
constexpr std::uint64_t kThreadedRingBytes = 256 << 20;
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

/// A ring of slots that one thread or more fill and another empties. `claimed_`, `produced_` and
/// `consumed_` count batches since the start; slot of a batch is its number modulo the ring's size.
/// Whoever finds nothing to do raises its flag and sleeps; sequentially consistent order of count
/// and flag makes sure that the other side sees the flag or the sleeper sees the count.
class RingPrefetcher final : public Prefetcher {
public:
    RingPrefetcher(BatchMaker maker, std::int64_t firstStep, std::int64_t endStep,
                   std::uint32_t slots, unsigned mostThreads)
        : maker_(std::move(maker)),
          firstStep_(firstStep),
          total_(static_cast<std::uint64_t>(endStep - firstStep)),
          memory_(allocateAligned(maker_.bytes() * slots)),
          batches_(slots),
          isDone_(slots),
          mostThreads_(mostThreads) {
        const Lock lock(claiming_);
        addThread();
    }

    ~RingPrefetcher() override {
        stop_.request_stop();
        std::vector<std::jthread> threads;
        {
            const Lock lock(claiming_);  // none is added any more
            threads = std::move(threads_);
        }
        threads.clear();
    }
    RingPrefetcher(const RingPrefetcher&) = delete;
    RingPrefetcher& operator=(const RingPrefetcher&) = delete;

    [[nodiscard]] unsigned threads() const override { return threadCount_.load(); }
    [[nodiscard]] std::uint32_t ahead() const override {
        return static_cast<std::uint32_t>(batches_.size()) - 1;
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
    void releaseLast() {
        if (!inUse_) return;
        inUse_ = false;
        consumed_.store(taken_);
        if (producerSleeps_.load() && hasHalfFree()) wake();
    }

    bool hasHalfFree() const { return claimed_.load() - consumed_.load() <= batches_.size() / 2; }

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
        if (taken_ >= batches_.size()) ++waits_;  // the first ones cannot have been ready
        Lock lock(mutex_);
        consumerSleeps_.store(true);
        const bool ready =
            changed_.wait_for(mutex_, timeout, [this] { return produced_.load() != taken_; });
        consumerSleeps_.store(false);
        return ready;
    }

    /// Of one thread.
    void produce() {
        Augmenter::Workspace workspace;
        while (const auto claim = claimNext()) {
            const std::size_t slot = claim->number % batches_.size();
            const std::int64_t step = firstStep_ + static_cast<std::int64_t>(claim->number);
            batches_[slot] =
                maker_.make(step, *claim->order, workspace, memory_.get() + slot * maker_.bytes());
            complete(slot);
        }
    }

    /// A batch that a thread is to make, with the order of its epoch.
    struct Claim {
        std::uint64_t number = 0;
        std::shared_ptr<const std::vector<std::uint32_t>> order;
    };

    /// Waits for a free slot; nothing when all are claimed, or when asked to stop.
    std::optional<Claim> claimNext() {
        const Lock lock(claiming_);
        const std::uint64_t number = claimed_.load();
        if (number == total_ || !waitForRoom()) return std::nullopt;
        if (waits_.load() >= kWaitsForAThread && threads_.size() < mostThreads_) addThread();
        const auto& plan = maker_.plan();
        const std::int64_t epoch =
            plan.positionOf(firstStep_ + static_cast<std::int64_t>(number)).epoch;
        if (epoch != orderedEpoch_) {
            order_ = std::make_shared<const std::vector<std::uint32_t>>(plan.epochOrder(epoch));
            orderedEpoch_ = epoch;
        }
        claimed_.store(number + 1);
        return Claim{number, order_};
    }

    void addThread() LS_REQUIRES(claiming_) {
        waits_.store(0);
        try {
            threads_.push_back(
                startThread("prefetch", [this](const std::stop_token&) { produce(); }));
            threadCount_.store(static_cast<unsigned>(threads_.size()));
        } catch (const std::system_error&) {
            if (threads_.empty()) throw;
            mostThreads_ = static_cast<unsigned>(threads_.size());  // as many as there can be
        }
    }

    /// True when a slot is free; false when asked to stop.
    bool waitForRoom() LS_REQUIRES(claiming_) {
        const std::stop_token stop = stop_.get_token();
        while (claimed_.load() - consumed_.load() >= batches_.size()) {
            Lock lock(mutex_);
            producerSleeps_.store(true);
            changed_.wait_for(mutex_, stop, kNap, [this] { return hasHalfFree(); });
            producerSleeps_.store(false);
            if (stop.stop_requested()) return false;
        }
        return !stop.stop_requested();
    }

    /// Batches become ready in their order, whichever is finished first.
    void complete(std::size_t slot) {
        {
            const Lock lock(finishing_);
            isDone_[slot] = true;
            std::uint64_t ready = produced_.load();
            for (; isDone_[ready % isDone_.size()]; ++ready)
                isDone_[ready % isDone_.size()] = false;
            produced_.store(ready);
        }
        if (consumerSleeps_.load()) wake();
    }

    const BatchMaker maker_;
    const std::int64_t firstStep_;
    const std::uint64_t total_;
    const AlignedBytes memory_;
    std::vector<Batch> batches_;

    std::uint64_t taken_ = 0;  // consumer's own
    bool inUse_ = false;       // consumer's own
    alignas(kAlignment) std::atomic<std::uint64_t> produced_ = 0;
    alignas(kAlignment) std::atomic<std::uint64_t> consumed_ = 0;
    std::atomic<std::uint64_t> claimed_ = 0;
    std::atomic<unsigned> waits_ = 0;  ///< Of the consumer, since the newest thread began.
    std::atomic<unsigned> threadCount_ = 0;
    std::atomic<bool> producerSleeps_ = false;
    std::atomic<bool> consumerSleeps_ = false;
    Mutex mutex_;
    ConditionVariable changed_;
    Mutex finishing_;
    std::vector<bool> isDone_ LS_GUARDED_BY(finishing_);  ///< Slots behind produced_.
    Mutex claiming_;  ///< Whoever waits for room holds it: the others have nothing to do either.
    std::int64_t orderedEpoch_ LS_GUARDED_BY(claiming_) = -1;
    std::shared_ptr<const std::vector<std::uint32_t>> order_ LS_GUARDED_BY(claiming_);
    unsigned mostThreads_ LS_GUARDED_BY(claiming_);
    std::stop_source stop_;
    std::vector<std::jthread> threads_ LS_GUARDED_BY(claiming_);  // last: they use all of the above
};

}  // namespace

std::uint32_t Prefetcher::slotsOf(std::uint64_t batchBytes, const PrefetchOptions& options) {
    if (options.depth > 0) return options.depth + 1;
    const std::uint64_t bytes = std::max<std::uint64_t>(batchBytes, 1);
    const std::uint64_t forThreads =
        std::min<std::uint64_t>(options.mostThreads + 1, kThreadedRingBytes / bytes);
    const std::uint64_t affordable = std::max(kRingBudgetBytes / bytes, forThreads);
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(affordable, kFewestSlots, kMostSlots));
}

Result<std::unique_ptr<Prefetcher>> Prefetcher::start(std::shared_ptr<const Split> split,
                                                      const BatchPlan& plan, int replica,
                                                      std::int64_t firstStep, std::int64_t endStep,
                                                      PrefetchOptions options) {
    LS_CHECK(firstStep >= 0 && firstStep <= endStep, "a prefetcher runs forward");
    LS_CHECK(replica >= 0 && replica < plan.replicas(), "a replica's index is below their number");
    LS_CHECK(split->count == plan.samples(), "the plan is for this split");
    BatchMaker maker(std::move(split), plan, replica, std::move(options.augmenter),
                     options.ignoredClass);
    const std::uint64_t slotBytes = maker.bytes();
    const std::uint32_t slots = slotsOf(slotBytes, options);
    if (slots > kFewestSlots && slots * slotBytes > kLargestRingBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("data.prefetch is {}, and a batch of a replica has {} bytes: more "
                                "than {} bytes ahead are not accepted",
                                options.depth, slotBytes, kLargestRingBytes),
                    "Set it to 0, which takes as many as are good, or to a smaller number.");
    try {
        return std::make_unique<RingPrefetcher>(std::move(maker), firstStep, endStep, slots,
                                                options.mostThreads);
    } catch (const std::exception& error) {  // no memory for the ring, or no thread
        return fail(
            ErrorCode::Unavailable,
            fmt::format("cannot prepare batches in the background with {} slots of {} bytes: {}",
                        slots, slotBytes, error.what()),
            "Choose a smaller data.prefetch or training.global_batch_size, or more replicas.");
    }
}

}  // namespace lockstep::data
