// SPDX-License-Identifier: Apache-2.0
#include "core/data/packed/growing_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "core/base/try.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kSmallestStep = std::size_t{64} << 10;
constexpr std::size_t kLargestStep = std::size_t{256} << 20;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

/// Memory that programs can have now without swapping; nothing where the system does not tell.
std::optional<std::uint64_t> freeMemory() {
    std::ifstream info("/proc/meminfo");
    for (std::string word; info >> word;) {
        std::uint64_t kilobytes = 0;
        if (word == "MemAvailable:" && info >> kilobytes) return kilobytes * 1024;
    }
    return std::nullopt;
}

}  // namespace

GrowingMemory::~GrowingMemory() {
    if (begin_ != nullptr) ::munmap(begin_, room_);
}

Result<void> GrowingMemory::append(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return {};
    if (bytes.size() > room_ - size_) {
        const std::size_t step = std::clamp(room_, kSmallestStep, kLargestStep);
        TRY(grow(std::max(room_ + step, size_ + bytes.size())));
    }
    std::memcpy(begin_ + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
    return {};
}

Result<void> GrowingMemory::grow(std::size_t room) {
    room = (room + kSmallestStep - 1) / kSmallestStep * kSmallestStep;
    const auto free = room - size_ < kLargestStep ? std::nullopt : freeMemory();
    if (free && room - size_ > *free)
        return fail(ErrorCode::Unavailable,
                    fmt::format("the data take more memory than the {} MiB that are free",
                                *free / kMebibyte));
    void* const grown = begin_ == nullptr ? ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                          : ::mremap(begin_, room_, room, MREMAP_MAYMOVE);
    if (grown == MAP_FAILED)
        return fail(
            ErrorCode::Unavailable,
            fmt::format("the system gives no {} MiB of memory for the data", room / kMebibyte));
    begin_ = static_cast<std::uint8_t*>(grown);
    room_ = room;
    return {};
}

SharedBytes GrowingMemory::take() {
    const auto owner = std::make_shared<const GrowingMemory>(std::move(*this));
    return {owner, owner->bytes()};
}

}  // namespace lockstep::data
