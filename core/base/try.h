// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "core/base/result.h"

namespace lockstep {

/// What a result that is no error holds: its value, or nothing.
template <typename T>
[[nodiscard]] T valueOf(Result<T>&& result) requires(!std::is_void_v<T>) {
    return *std::move(result);
}
inline void valueOf(Result<void>&&) {}

/// Never inlined: hundreds of places would carry code that is seldom run.
[[nodiscard, gnu::cold, gnu::noinline]] inline tl::unexpected<Error> passOn(Error&& error) {
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace lockstep

#define LOCKSTEP_JOIN_TOKENS(left, right) left##right
// The value is taken outside of the braces, so that one that is dropped is warned of: a lock, say.
#define LOCKSTEP_TRY(result, expression)                                   \
    ::lockstep::valueOf(__extension__({                                    \
        auto result = (expression);                                        \
        if (!result) return ::lockstep::passOn(std::move(result).error()); \
        std::move(result);                                                 \
    }))
#define LOCKSTEP_TRY_UNIQUE(number, expression) \
    LOCKSTEP_TRY(LOCKSTEP_JOIN_TOKENS(tryResult, number), expression)

/// `auto keys = TRY(newKeyPair());` — the value, or the error is returned as it is from the
/// function around it, which returns a Result, too. For source files alone: the name is short.
#define TRY(expression) LOCKSTEP_TRY_UNIQUE(__COUNTER__, expression)
