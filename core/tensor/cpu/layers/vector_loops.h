// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "core/tensor/cpu/kernels.h"

// For source files with elementwise loops: each loop is written once, as a function of that file
// alone (in an anonymous namespace, else static) that is always inlined into one for every
// instruction set that may run it: a function may inline what needs fewer instructions than it has.
// Nothing else is compiled for a wider set, so no such code can leak into the rest of the program
// through a shared inline function. All of them perform the same IEEE operations in the same order
// on each element: the same bits.
#define LS_LOOP inline __attribute__((always_inline))

// Before a loop over elements: operands are the same or do not overlap, so that no element depends
// on another and a layer may work in place.
#if defined(__clang__)
#define LS_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define LS_ELEMENTWISE _Pragma("GCC ivdep")
#endif

namespace lockstep::tensor {

/// The instruction set that layers use where they are not told.
[[nodiscard]] inline VectorIsa bestIsa() {
    return supportedIsas().back();
}

/// p[i] -= change. `sums` is a loop's own, so that it stays in registers.
static LS_LOOP void lower(float* __restrict p, std::size_t i, float change, BitSums& sums) {
    const float before = p[i];
    const float after = before - change;
    p[i] = after;
    sums.found += std::bit_cast<std::uint32_t>(before);
    sums.left += std::bit_cast<std::uint32_t>(after);
}

template <auto kLoop>
struct CompiledLoop;

/// A loop for each instruction set; `run` takes the one that is asked for.
template <typename Returned, typename... Arguments, Returned (*kLoop)(Arguments...)>
struct CompiledLoop<kLoop> {
    static Returned baseline(Arguments... arguments) { return kLoop(arguments...); }
#if defined(__x86_64__)
    __attribute__((target("avx2"))) static Returned avx2(Arguments... arguments) {
        return kLoop(arguments...);
    }
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static Returned avx512(
        Arguments... arguments) {
        return kLoop(arguments...);
    }
#endif
    static Returned run(VectorIsa isa, Arguments... arguments) {
#if defined(__x86_64__)
        if (isa == VectorIsa::Avx512) return avx512(arguments...);
        if (isa == VectorIsa::Avx2) return avx2(arguments...);
#endif
        static_cast<void>(isa);
        return baseline(arguments...);
    }
};

/// `runLoop<scaleLoop>(isa, factor, x, y, count);`
template <auto kLoop, typename... Arguments>
auto runLoop(VectorIsa isa, Arguments... arguments) {
    return CompiledLoop<kLoop>::run(isa, arguments...);
}

}  // namespace lockstep::tensor
