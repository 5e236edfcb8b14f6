// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/x_scale.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {
constexpr double kLeast = 1e-9;  // what is nothing has a place, too: far to the left
}

double XScale::drawn(double units, bool logarithmic) {
    return logarithmic ? std::log10(std::max(units, kLeast)) : units;
}

double XScale::units(double x, bool logarithmic) {
    return logarithmic ? std::pow(10.0, x) : x;
}

bool XScale::isKnown() const {
    switch (axis) {
        case XAxis::Step:
            return true;
        case XAxis::Epoch:
            return stepsPerEpoch > 0;
        case XAxis::Relative:
        case XAxis::Wall:
            break;
    }
    return times.size() > 0;
}

double XScale::unitsAt(qint64 step) const {
    switch (axis) {
        case XAxis::Step:
            break;
        case XAxis::Epoch:
            return double(step) / stepsPerEpoch;
        case XAxis::Relative:
            return times.atStep(step, TimeView::Clock::Running) - runningOrigin;
        case XAxis::Wall:
            return times.atStep(step) - wallOrigin;
    }
    return double(step);
}

double XScale::stepAtUnits(double place, qint64& hint) const {
    switch (axis) {
        case XAxis::Step:
            break;
        case XAxis::Epoch:
            return place * stepsPerEpoch;
        case XAxis::Relative:
            return times.stepAtTime(place + runningOrigin, hint, TimeView::Clock::Running);
        case XAxis::Wall:
            return times.stepAtTime(place + wallOrigin, hint);
    }
    return place;
}

}  // namespace lockstep::ui
