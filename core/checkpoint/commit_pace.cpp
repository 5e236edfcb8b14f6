// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/commit_pace.h"

#include <algorithm>

namespace lockstep::checkpoint {

void CommitPace::add(Nanos duration) {
    newest_[count_++ % kRemembered] = duration;
}

Nanos CommitPace::limit() const {
    if (count_ == 0) return limits_.first;
    std::array<Nanos, kRemembered> sorted = newest_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(count_, kRemembered));
    const auto middle = sorted.begin() + (end - sorted.begin()) / 2;
    std::nth_element(sorted.begin(), middle, end);
    return std::max(limits_.least, limits_.factor * *middle);
}

}  // namespace lockstep::checkpoint
