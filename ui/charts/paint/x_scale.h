// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/paint/axis_range.h"
#include "ui/charts/store/column_store.h"

namespace lockstep::ui {

/// Where the steps of one series lie on the x axis.
struct XScale {
    XAxis axis = XAxis::Step;
    bool logarithmic = false;
    double stepsPerEpoch = 0;  ///< 0: not known.
    double runningOrigin = 0;  ///< The running time that lies at 0,
    double wallOrigin = 0;     ///< and that of the clock; both in seconds since 1970.
    TimeView times;

    /// False where nothing says where its steps lie.
    [[nodiscard]] bool isKnown() const;
    /// As it is drawn.
    [[nodiscard]] double at(qint64 step) const {
        return isPlain() ? double(step) : drawn(unitsAt(step), logarithmic);
    }
    /// What is drawn at `x`, as a number between steps.
    [[nodiscard]] double stepAt(double x) const {
        qint64 hint = 0;
        return stepAt(x, hint);
    }
    /// As above, for places that grow: `hint` is 0 at first.
    [[nodiscard]] double stepAt(double x, qint64& hint) const {
        return isPlain() ? x : stepAtUnits(units(x, logarithmic), hint);
    }
    /// In units of the axis, whatever the scale.
    [[nodiscard]] double unitsAt(qint64 step) const;

    [[nodiscard]] bool isTime() const { return axis == XAxis::Relative || axis == XAxis::Wall; }
    /// From units of the axis to where they are drawn, and back.
    [[nodiscard]] static double drawn(double units, bool logarithmic);
    [[nodiscard]] static double units(double x, bool logarithmic);

private:
    [[nodiscard]] bool isPlain() const { return axis == XAxis::Step && !logarithmic; }
    [[nodiscard]] double stepAtUnits(double place, qint64& hint) const;
};

}  // namespace lockstep::ui
