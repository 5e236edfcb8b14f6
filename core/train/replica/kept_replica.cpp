// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/train/replica/kept_layout.h"

namespace lockstep::train {

namespace {

#if defined(__SSE2__)
/// Past the caches: nobody reads a kept step while its run goes well, and a line that is written
/// whole need not be read before. Until fence() it may lie in the processor's buffers.
void copyPastCaches(const float* from, std::size_t count, float* to) {
    constexpr std::size_t kVector = 4;
    const auto isAligned = [](const float* place) {
        return reinterpret_cast<std::uintptr_t>(place) % sizeof(__m128) == 0;
    };
    for (; count > 0 && !isAligned(to); --count)
        *to++ = *from++;
    for (; count >= kVector; count -= kVector, from += kVector, to += kVector)
        _mm_stream_ps(to, _mm_loadu_ps(from));
    std::copy_n(from, count, to);
}
void fence() {
    _mm_sfence();
}
#else
void copyPastCaches(const float* from, std::size_t count, float* to) {
    std::copy_n(from, count, to);
}
void fence() {}
#endif

}  // namespace

KeptReplica::KeptReplica(KeptSteps& all, int local)
    : all_(all), local_(local), textSum_(hashOf(text_.data(), text_.size())) {
    static_assert(sizeof(Slot) <= kSlotHead);
    for (auto& buckets : hasMemory_)
        buckets.resize(all.shape_.buckets);
}

KeptReplica::Slot& KeptReplica::slot(std::size_t index) const {
    return *reinterpret_cast<Slot*>(all_.slotOf(local_, index));
}

std::span<collective::Range> KeptReplica::shares(std::size_t slot) const {
    return {reinterpret_cast<collective::Range*>(all_.slotOf(local_, slot) + kSlotHead),
            all_.shape_.buckets};
}

std::span<double> KeptReplica::metrics(std::size_t slot) const {
    return {reinterpret_cast<double*>(shares(slot).data() + all_.shape_.buckets),
            all_.shape_.metrics};
}

std::span<float> KeptReplica::statistics(std::size_t slot) const {
    return {reinterpret_cast<float*>(metrics(slot).data() + all_.shape_.metrics),
            all_.shape_.statistics};
}

void KeptReplica::begin(std::int64_t step) {
    LS_CHECK(step > 0, "steps count from 1");
    slot(slotOf(step)).word.store(0, std::memory_order_seq_cst);
    step_ = step;
    sum_ = 0;
}

/// Before the first copy, as far as the slot lacks it: where there is no memory, no copy ends the
/// process by SIGBUS.
Result<void> KeptReplica::takeShare(std::size_t bucket, const collective::Range& share) {
    const std::size_t slot = slotOf(step_);
    if (!hasMemory_[slot][bucket]) {
        const auto at = [this](const void* place) {
            return static_cast<std::size_t>(static_cast<const std::byte*>(place) - all_.memory_);
        };
        TRY(claim(all_.fd_, at(all_.slotOf(local_, slot)), KeptSteps::Places(all_.shape_).details));
        TRY(claim(all_.fd_, at(&records()), kRecordsBytes));
        for (int index = 0; share.size() > 0 && index <= all_.shape_.moments; ++index)
            TRY(claim(all_.fd_, at(all_.array(slot, index).data() + share.begin),
                      share.size() * sizeof(float)));
        hasMemory_[slot][bucket] = true;
    }
    shares(slot)[bucket] = share;
    return {};
}

void KeptReplica::copy(const collective::Range& range, std::span<const float> parameters,
                       std::span<const std::span<float>> moments) {
    const std::size_t slot = slotOf(step_);
    for (std::size_t begin = range.begin; begin < range.end; begin += kBlock) {
        const std::size_t count = std::min(kBlock, range.end - begin);
        for (std::size_t index = 0; index <= moments.size(); ++index) {
            const float* from =
                (index == 0 ? parameters.data() : moments[index - 1].data()) + begin;
            copyPastCaches(from, count, all_.array(slot, static_cast<int>(index)).data() + begin);
            sum_ += placed(hashOf(from, count * sizeof(float)), index, begin);
        }
    }
}

Result<void> KeptReplica::setText(std::string text) {
    if (text.size() > kTextBytes)
        return fail(ErrorCode::Unavailable,
                    fmt::format("what is to be kept with each step takes {} bytes; at most {} are "
                                "kept in memory",
                                text.size(), kTextBytes),
                    "Set launch.on_failure to \"restart\".");
    for (std::size_t index = 0; index < kSlots; ++index)
        TRY(claim(all_.fd_, static_cast<std::size_t>(all_.textOf(local_, index) - all_.memory_),
                  std::max(text.size(), kPage)));
    text_ = std::move(text);
    textSum_ = hashOf(text_.data(), text_.size());
    hasText_.fill(false);
    return {};
}

void KeptReplica::complete(const KeptFigures& figures, const telemetry::StepRecord& record) {
    records().ring[record.step % kRecords] = record;
    const std::size_t index = slotOf(step_);
    Slot& now = slot(index);
    now.step = step_;
    now.lossSum = figures.lossSum;
    now.correct = figures.correct;
    now.samples = figures.samples;
    now.skippedSteps = figures.skippedSteps;
    std::ranges::copy(figures.metrics, metrics(index).begin());
    std::ranges::copy(figures.statistics, statistics(index).begin());
    if (!hasText_[index]) {
        std::ranges::copy(std::as_bytes(std::span(text_)), all_.textOf(local_, index));
        hasText_[index] = true;
    }
    now.textBytes = text_.size();
    now.textSum = textSum_;
    now.sum = sum_ + sumOfDetails(index);
    fence();  // what was copied is there before the word says so
    now.word.store(step_, std::memory_order_release);
}

KeptReplica::Records& KeptReplica::records() const {
    return *reinterpret_cast<Records*>(all_.recordsOf(local_));
}

void KeptReplica::told(std::int64_t step) {
    records().told.store(step, std::memory_order_release);
}

void KeptReplica::goBack(std::int64_t step) {
    if (records().told.load(std::memory_order_acquire) > step) told(step);
}

std::vector<telemetry::StepRecord> KeptReplica::untold(std::int64_t step) const {
    const Records& all = records();
    std::vector<telemetry::StepRecord> untold;
    const auto room = static_cast<std::int64_t>(kRecords);
    for (auto one = std::max(all.told.load(std::memory_order_acquire), step - room) + 1;
         one <= step; ++one)
        if (const auto& record = all.ring[static_cast<std::size_t>(one) % kRecords];
            record.step == static_cast<std::uint64_t>(one))
            untold.push_back(record);
    return untold;
}

/// Of all that is neither in an array nor in the text.
std::uint64_t KeptReplica::sumOfDetails(std::size_t index) const {
    const Slot& now = slot(index);
    const std::size_t head = offsetof(Slot, step);
    return hashOf(reinterpret_cast<const std::byte*>(&now) + head, sizeof(Slot) - head) +
           hashOf(shares(index).data(), shares(index).size_bytes()) +
           hashOf(metrics(index).data(), metrics(index).size_bytes()) +
           hashOf(statistics(index).data(), statistics(index).size_bytes());
}

/// As the bytes are now; 0 where they make no sense.
std::uint64_t KeptReplica::sumOf(std::size_t index) const {
    const Slot& now = slot(index);
    if (now.textBytes > kTextBytes) return 0;
    if (hashOf(all_.textOf(local_, index), now.textBytes) != now.textSum) return 0;
    std::uint64_t sum = sumOfDetails(index);
    for (const collective::Range& share : shares(index)) {
        if (share.begin > share.end || share.end > all_.shape_.parameters) return 0;
        for (std::size_t begin = share.begin; begin < share.end; begin += kBlock)
            for (int array = 0; array <= all_.shape_.moments; ++array)
                sum += placed(hashOf(all_.array(index, array).data() + begin,
                                     std::min(kBlock, share.end - begin) * sizeof(float)),
                              static_cast<std::size_t>(array), begin);
    }
    return sum;
}

std::int64_t KeptReplica::wordOf(std::size_t index) const {
    return slot(index).word.load(std::memory_order_acquire);
}

std::int64_t KeptReplica::wholeStep(std::size_t index) const {
    const std::int64_t step = wordOf(index);
    return step > 0 && !isDamaged(index) ? step : 0;
}

bool KeptReplica::isDamaged(std::size_t index) const {
    const std::int64_t word = wordOf(index);
    return word != 0 && (slot(index).step != word || slot(index).sum != sumOf(index));
}

void KeptReplica::forget(std::size_t index) {
    slot(index).word.store(0, std::memory_order_seq_cst);
}

std::string KeptReplica::text(std::int64_t step) const {
    const std::size_t index = slotOf(step);
    if (wordOf(index) != step) return {};
    return {reinterpret_cast<const char*>(all_.textOf(local_, index)), slot(index).textBytes};
}

KeptFigures KeptReplica::figures(std::int64_t step) const {
    const std::size_t index = slotOf(step);
    const Slot& then = slot(index);
    return {.lossSum = then.lossSum,
            .correct = then.correct,
            .samples = then.samples,
            .skippedSteps = then.skippedSteps,
            .metrics = metrics(index),
            .statistics = statistics(index)};
}

void KeptReplica::restore(std::int64_t step, std::span<float> parameters,
                          std::span<const std::span<float>> moments) const {
    const std::size_t index = slotOf(step);
    for (const collective::Range& share : shares(index))
        for (std::size_t array = 0; array <= moments.size(); ++array)
            std::ranges::copy(
                all_.array(index, static_cast<int>(array)).subspan(share.begin, share.size()),
                (array == 0 ? parameters : moments[array - 1]).begin() +
                    static_cast<std::ptrdiff_t>(share.begin));
}

}  // namespace lockstep::train
