// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/cpu/kernels.h"

// For source files with elementwise loops, as kernels.cpp: each loop is written once, as a function
// of that file alone (in an anonymous namespace, else static) that is always inlined, and compiled
// for every instruction set that may run it. All of them perform the same IEEE operations in the
// same order on each element: the same bits.
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

template <auto kLoop>
struct CompiledLoop;

/// A loop for each instruction set; `run` takes the one that is asked for.
template <typename... Arguments, void (*kLoop)(Arguments...)>
struct CompiledLoop<kLoop> {
    static void baseline(Arguments... arguments) { kLoop(arguments...); }
#if defined(__x86_64__)
    __attribute__((target("avx2"))) static void avx2(Arguments... arguments) {
        kLoop(arguments...);
    }
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void avx512(
        Arguments... arguments) {
        kLoop(arguments...);
    }
#endif
    static void run(VectorIsa isa, Arguments... arguments) {
#if defined(__x86_64__)
        if (isa == VectorIsa::Avx512) return avx512(arguments...);
        if (isa == VectorIsa::Avx2) return avx2(arguments...);
#endif
        static_cast<void>(isa);
        baseline(arguments...);
    }
};

/// `runLoop<scaleLoop>(isa, factor, x, y, count);`
template <auto kLoop, typename... Arguments>
void runLoop(VectorIsa isa, Arguments... arguments) {
    CompiledLoop<kLoop>::run(isa, arguments...);
}

}  // namespace lockstep::tensor
