// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_emulation/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cuda_emulation {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 256;  // as cudaMalloc() promises
/// NaN in every floating type, an index beyond everything, a pointer to nowhere.
constexpr int kUnset = 0xFF;

/// Larger blocks stay open to the host and are NaN at their edges alone: to change them each time
/// takes longer than all the rest.
constexpr std::size_t kLarge = std::size_t{256} << 10;

std::size_t rounded(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Memory& Memory::get() {
    static Memory& memory = *new Memory();  // outlives whoever frees at the program's end
    return memory;
}

std::size_t Memory::totalBytes() {
    const char* megabytes = std::getenv("CUDA_EMULATION_MEGABYTES");
    return (megabytes == nullptr ? std::size_t{8192} : std::strtoull(megabytes, nullptr, 10)) << 20;
}

std::size_t Memory::freeBytes(int device) {
    const std::lock_guard lock(mutex_);
    std::size_t used = 0;
    for (const auto& [begin, block] : blocks_)
        if (block.kind == Kind::Device && block.device == device) used += block.bytes;
    return totalBytes() - std::min(used, totalBytes());
}

void* Memory::reserve(std::size_t bytes, Kind kind, int device) {
    if (kind == Kind::Device && bytes > freeBytes(device)) return nullptr;
    const std::size_t inner = rounded(std::max<std::size_t>(bytes, 1), kPage);
    void* all = ::mmap(nullptr, inner + 2 * kPage, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    auto* pages = static_cast<std::byte*>(all) + kPage;
    if (::mprotect(pages, inner, PROT_READ | PROT_WRITE) != 0) return nullptr;
    std::memset(pages, kUnset, std::min(inner, kLarge));
    std::memset(pages + inner - std::min(inner, kPage), kUnset, std::min(inner, kPage));
    std::byte* data = pages + inner - rounded(bytes, kAlignment);
    const std::lock_guard lock(mutex_);
    const Block& block = blocks_[data] = {bytes, kind, device, pages, inner};
    if (kind == Kind::Device && open_ == 0) protect(block, PROT_NONE);
    return data;
}

bool Memory::release(void* data, Kind kind) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(static_cast<std::byte*>(data));
    if (found == blocks_.end() || found->second.kind != kind) return false;
    protect(found->second, PROT_READ | PROT_WRITE);
    checkEdges(found->first, found->second);
    ::munmap(found->second.pages - kPage, found->second.pagesBytes + 2 * kPage);
    blocks_.erase(found);
    return true;
}

void Memory::checkEdges(const std::byte* data, const Block& block) {
    const auto unset = [](std::byte one) { return one == static_cast<std::byte>(kUnset); };
    const std::byte* end = block.pages + block.pagesBytes;
    if (std::all_of(static_cast<const std::byte*>(block.pages), data, unset) &&
        std::all_of(data + block.bytes, end, unset))
        return;
    std::fprintf(stderr, "cuda emulation: written around a block of %zu bytes\n", block.bytes);
    std::abort();
}

bool Memory::holds(const void* data, std::size_t bytes) {
    const auto* begin = static_cast<const std::byte*>(data);
    const std::lock_guard lock(mutex_);
    auto next = blocks_.upper_bound(begin);
    if (next == blocks_.begin()) return false;
    const auto& [first, block] = *--next;
    return begin + bytes <= first + block.bytes;
}

bool Memory::isOutOfReach(const void* data) {
    if (data == nullptr || holds(data, 1)) return false;
    {
        const std::lock_guard lock(mutex_);
        const auto* at = static_cast<const std::byte*>(data);
        // A pointer just behind a block is nobody's.
        for (const auto& [first, block] : blocks_)
            if (at >= block.pages - kPage && at <= block.pages + block.pagesBytes + kPage)
                return at != first + block.bytes;
    }
    const auto page = reinterpret_cast<std::uintptr_t>(data) & ~(kPage - 1);
    unsigned char state = 0;
    return page != 0 && ::mincore(reinterpret_cast<void*>(page), kPage, &state) == 0;
}

void Memory::protect(const Block& block, int protection) {
    if (block.bytes > kLarge) return;
    if (::mprotect(block.pages, block.pagesBytes, protection) == 0) return;
    std::perror("cuda emulation: mprotect");
    std::abort();
}

void Memory::open() {
    const std::lock_guard lock(mutex_);
    if (open_++ > 0) return;
    for (const auto& [begin, block] : blocks_)
        if (block.kind == Kind::Device) protect(block, PROT_READ | PROT_WRITE);
}

void Memory::close() {
    const std::lock_guard lock(mutex_);
    if (--open_ > 0) return;
    for (const auto& [begin, block] : blocks_)
        if (block.kind == Kind::Device) protect(block, PROT_NONE);
}

}  // namespace cuda_emulation
