// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/kept_steps.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/train/replica/kept_layout.h"

namespace lockstep::train {

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
    std::uint64_t before = 0;  // the header's first word
    const bool isOthers =
        ::pread(fd, &before, sizeof before, 0) > 0 && before != 0 && before != shape.fingerprint;
    if (isOthers) std::ignore = ::ftruncate(fd, 0);  // zero bytes are its first state
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
    kept->header_->fingerprint.store(shape.fingerprint);
    if (isOthers) kept->note("they were kept by another job, build or grouping of processes");
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

std::uint64_t KeptSteps::lineage() const {
    return header_->lineage.load();
}

bool KeptSteps::isDistrusted() const {
    return header_->isDistrusted.load() != 0;
}

void KeptSteps::keepOnly(std::int64_t step, std::uint64_t lineage, std::int64_t start) {
    for (std::size_t slot = 0; slot < KeptReplica::kSlots; ++slot)
        for (const auto& one : replicas_)
            if (one->wordOf(slot) != step) one->forget(slot);
    for (const auto& one : replicas_)
        one->goBack(start < 0 ? step : start);
    header_->whyLength.store(0);
    header_->isDistrusted.store(0);
    header_->lineage.store(lineage);
}

void KeptSteps::distrust(std::string_view why) {
    for (std::size_t slot = 0; slot < KeptReplica::kSlots; ++slot)
        for (const auto& one : replicas_)
            one->forget(slot);
    header_->isDistrusted.store(1);
    note(why);
}

void KeptSteps::note(std::string_view why) {
    const Lock lock(mutex_);
    if (header_->whyLength.load() > 0) return;  // the first reason is the cause
    const std::size_t length = std::min(why.size(), kWhyBytes);
    std::copy_n(why.data(), length, header_->why.data());
    header_->whyLength.store(static_cast<std::uint32_t>(length));
}

}  // namespace lockstep::train
