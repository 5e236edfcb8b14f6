// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/followed_range.h"

#include <algorithm>

namespace lockstep::ui {

FollowedRange::FollowedRange(double whenEmpty, double least, double nearZero)
    : whenEmpty_(whenEmpty), least_(least), nearZero_(nearZero) {
    clear();
}

void FollowedRange::clear() {
    isEmpty_ = true;
    range_ = {0, whenEmpty_};
}

void FollowedRange::show(double first, double last) {
    const double extent = last - first;
    const double room = range_.last - last;
    const bool isAnew = isEmpty_ || first != first_;  // it also grew to the left
    isEmpty_ = false;
    first_ = first;
    if (!isAnew && room >= extent * kLeastAir && room <= extent * kLeap) return;
    // A curve of one point still has a place.
    const double before = extent > 0 ? extent * kAir : least_ / 2;
    const double begin = first <= nearZero_ ? 0 : std::max(0.0, first - before);
    range_ = {begin, std::max(begin + least_, last + extent * (isAnew ? kAir : kLeap))};
}

}  // namespace lockstep::ui
