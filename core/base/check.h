// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep {
/// Prints file, line, the condition and the sentence, then aborts. Called by LS_CHECK.
[[noreturn]] void checkFailed(const char* file, int line, const char* condition,
                              const char* sentence);
}  // namespace lockstep

/// A programmer's error, checked in release builds too. Never for input, files or the network.
#define LS_CHECK(condition, sentence)                                          \
    do {                                                                       \
        if (!(condition)) [[unlikely]]                                         \
            ::lockstep::checkFailed(__FILE__, __LINE__, #condition, sentence); \
    } while (false)
