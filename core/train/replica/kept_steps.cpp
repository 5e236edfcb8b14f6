// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/kept_steps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <type_traits>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/try.h"

namespace lockstep::train {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSlotHead = 512;
constexpr std::size_t kTextBytes = std::size_t{1} << 20;
constexpr std::size_t kWhyBytes = 512;

constexpr std::size_t roundUp(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Of one replica's records.
constexpr std::size_t kRecordsBytes =
    roundUp(kSlotHead + KeptReplica::kRecords * sizeof(telemetry::StepRecord), kPage);

/// One page more than a whole number of 64 KiB, as in HostSegment: arrays that are walked through
/// together do not fight for a cache's places.
constexpr std::size_t strideOf(std::size_t floats) {
    return roundUp(floats * sizeof(float), 16 * kPage) + kPage;
}

std::uint64_t hashOf(const void* bytes, std::size_t count) {
    return shortHash({static_cast<const char*>(bytes), count});
}

/// So that equal blocks at other places give another sum: they may be added in any order.
std::uint64_t placed(std::uint64_t hash, std::size_t array, std::size_t element) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
    return hash * (2 * (element + (static_cast<std::uint64_t>(array) << 40U)) + 1) ^
           std::rotl(hash * kOdd, 29);
}

Result<void> claim(int fd, std::size_t offset, std::size_t bytes) {
    int status = 0;
    do
        status = ::fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    while (status != 0 && errno == EINTR);
    if (status == 0) return {};
    return fail(
        ErrorCode::Unavailable,
        fmt::format("the memory to keep steps in (launch.on_failure = \"regroup\") cannot be "
                    "had: {}",
                    errnoText()),
        "Give the host more memory, or set launch.on_failure to \"restart\".");
}

}  // namespace

/// Zero bytes are its first state.
struct KeptSteps::Header {
    std::atomic<std::uint64_t> fingerprint;
    std::atomic<std::uint32_t> whyLength;
    std::array<char, kWhyBytes> why;
};

/// What lies where, in bytes.
struct KeptSteps::Places {
    explicit Places(const KeptShape& shape)
        : details(roundUp(kSlotHead + shape.buckets * sizeof(collective::Range) +
                              shape.metrics * sizeof(double) + shape.statistics * sizeof(float),
                          kPage)),
          slot(details + kTextBytes),
          records(kPage + static_cast<std::size_t>(shape.replicas) * KeptReplica::kSlots * slot),
          arrays(records + static_cast<std::size_t>(shape.replicas) * kRecordsBytes),
          stride(strideOf(shape.parameters)),
          bytes(arrays +
                KeptReplica::kSlots * (1 + static_cast<std::size_t>(shape.moments)) * stride) {}

    std::size_t details;
    std::size_t slot;
    std::size_t records;
    std::size_t arrays;
    std::size_t stride;
    std::size_t bytes;
};

/// What the sender has not told when the process ends is told by the next life.
struct KeptReplica::Records {
    std::atomic<std::int64_t> told;
    alignas(kSlotHead) std::array<telemetry::StepRecord, kRecords> ring;
};

/// The beginning of a slot: what its arrays do not say.
struct KeptReplica::Slot {
    std::atomic<std::int64_t> word;  ///< The step, once all of it is there; 0: not yet.
    std::uint64_t sum;
    std::int64_t step;
    double lossSum;
    double correct;
    double samples;
    std::int64_t skippedSteps;
    std::uint64_t textBytes;
    std::uint64_t textSum;
};

KeptSteps::KeptSteps(int fd, const KeptShape& shape, std::byte* memory, std::size_t bytes)
    : fd_(fd),
      shape_(shape),
      memory_(memory),
      bytes_(bytes),
      header_(reinterpret_cast<Header*>(memory)) {
    for (int local = 0; local < shape.replicas; ++local)
        replicas_.push_back(std::make_unique<KeptReplica>(*this, local));
}

/// Its pages are had when they are first used: of the arrays a process uses its shares alone.
Result<std::unique_ptr<KeptSteps>> KeptSteps::open(int fd, const KeptShape& shape) {
    LS_CHECK(shape.fingerprint != 0 && shape.replicas > 0, "a fingerprint, and replicas");
    static_assert(sizeof(Header) <= kPage);
    const std::size_t bytes = Places(shape).bytes;
    void* memory = MAP_FAILED;
    if (::ftruncate(fd, static_cast<off_t>(bytes)) == 0)
        memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return fail(
            ErrorCode::Unavailable,
            fmt::format("{} bytes to keep steps in (launch.on_failure = \"regroup\") cannot "
                        "be had: {}",
                        bytes, errnoText()),
            "Give the host more memory, or set launch.on_failure to \"restart\".");
    std::unique_ptr<KeptSteps> kept(
        new KeptSteps(fd, shape, static_cast<std::byte*>(memory), bytes));
    TRY(claim(fd, 0, kPage));
    const std::uint64_t before = kept->header_->fingerprint.exchange(shape.fingerprint);
    if (before != 0 && before != shape.fingerprint)
        kept->distrust("they were kept by another job, build or grouping of processes");
    return kept;
}

KeptSteps::~KeptSteps() {
    ::munmap(memory_, bytes_);
}

std::byte* KeptSteps::slotOf(int local, std::size_t slot) const {
    const auto index = static_cast<std::size_t>(local) * KeptReplica::kSlots + slot;
    return memory_ + kPage + index * Places(shape_).slot;
}

std::byte* KeptSteps::recordsOf(int local) const {
    return memory_ + Places(shape_).records + static_cast<std::size_t>(local) * kRecordsBytes;
}

std::byte* KeptSteps::textOf(int local, std::size_t slot) const {
    return slotOf(local, slot) + Places(shape_).details;
}

/// 0: the weights, behind them the moments.
std::span<float> KeptSteps::array(std::size_t slot, int index) const {
    const Places places(shape_);
    const std::size_t position =
        slot * (1 + static_cast<std::size_t>(shape_.moments)) + static_cast<std::size_t>(index);
    return {reinterpret_cast<float*>(memory_ + places.arrays + position * places.stride),
            shape_.parameters};
}

std::vector<std::int64_t> KeptSteps::wholeSteps() const {
    std::vector<std::int64_t> steps;
    for (std::size_t slot = 0; slot < KeptReplica::kSlots; ++slot) {
        const std::int64_t step = replicas_.front()->wordOf(slot);
        if (step > 0 && std::ranges::all_of(replicas_, [&](const auto& one) {
                return one->wholeStep(slot) == step;
            }))
            steps.push_back(step);
    }
    std::ranges::sort(steps, std::greater());
    return steps;
}

std::string KeptSteps::trouble() const {
    const std::size_t length = std::min<std::size_t>(header_->whyLength.load(), kWhyBytes);
    if (length > 0) return {header_->why.data(), length};
    for (std::size_t slot = 0; slot < KeptReplica::kSlots; ++slot)
        for (const auto& one : replicas_)
            if (one->isDamaged(slot))
                return fmt::format("what was kept of step {} is damaged", one->wordOf(slot));
    return {};
}

void KeptSteps::keepOnly(std::int64_t step) {
    for (std::size_t slot = 0; slot < KeptReplica::kSlots; ++slot)
        for (const auto& one : replicas_)
            if (one->wordOf(slot) != step) one->forget(slot);
    for (const auto& one : replicas_)
        one->goBack(step);
    header_->whyLength.store(0);
}

void KeptSteps::distrust(std::string_view why) {
    for (std::size_t slot = 0; slot < KeptReplica::kSlots; ++slot)
        for (const auto& one : replicas_)
            one->forget(slot);
    const Lock lock(mutex_);
    if (header_->whyLength.load() > 0) return;  // the first reason is the cause
    const std::size_t length = std::min(why.size(), kWhyBytes);
    std::copy_n(why.data(), length, header_->why.data());
    header_->whyLength.store(static_cast<std::uint32_t>(length));
}

// ---- one replica -------------------------------------------------------------------------------

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
            std::copy_n(from, count, all_.array(slot, static_cast<int>(index)).data() + begin);
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
