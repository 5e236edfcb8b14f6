// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// LS_CLONES: one function for several instruction sets, chosen at load time. The sanitizers' run
// time is not up yet when the choice is made.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LS_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define LS_CLONES
#endif
