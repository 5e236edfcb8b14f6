// SPDX-License-Identifier: Apache-2.0
// Counts what a thread allocates by `new`. Replaces the operators of the whole program, so one file
// of a program includes it. Matrix products of the library have an allocator of their own.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

namespace lockstep::tests {
inline thread_local std::int64_t allocations = 0;  ///< Of this thread, so far.
}

// Not inlined: GCC 14 takes a free() that it sees instead of delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++lockstep::tests::allocations;
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    std::free(memory);
}
