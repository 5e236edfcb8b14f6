// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVector>

#include "ui/charts/paint/axis_range.h"

namespace lockstep::ui {

struct Tick {
    double position = 0;  ///< In units of the axis.
    QString label;        ///< Unique among the ticks of an axis.
};

/// Marks at round numbers inside a range, about `wanted` of them.
[[nodiscard]] QVector<Tick> linearTicks(AxisRange range, int wanted);
/// Of an axis of shares: three to six round percentages, `gap` apart or a little more, in units of
/// the axis. Nearer where there would be less than three, but never nearer than `least`.
[[nodiscard]] QVector<Tick> shareTicks(AxisRange range, double gap, double least);
/// Whole steps only.
[[nodiscard]] QVector<Tick> stepTicks(AxisRange range, int wanted);
/// Seconds, at round seconds, minutes, hours or days.
[[nodiscard]] QVector<Tick> timeTicks(AxisRange range, int wanted);
/// Times of day, and dates where there are several: seconds since `origin`, which is seconds since
/// 1970, at round local times.
[[nodiscard]] QVector<Tick> clockTicks(AxisRange range, double origin, int wanted);
/// The range and the positions are decimal logarithms, the labels the values.
[[nodiscard]] QVector<Tick> logTicks(AxisRange range, int wanted);
/// Where the same axis has marks without a label: the multiples of each power between them.
[[nodiscard]] QVector<double> minorLogTicks(AxisRange range, int wanted);

/// The round number (1, 2 or 5 times a power of ten) that divides `span` into about `wanted`.
[[nodiscard]] double roundInterval(double span, int wanted);

}  // namespace lockstep::ui
