// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lockstep {

void checkFailed(const char* file, int line, const char* condition, const char* sentence) {
    std::fprintf(stderr, "%s:%d: %s (%s does not hold)\n", file, line, sentence, condition);
    std::abort();
}

}  // namespace lockstep
