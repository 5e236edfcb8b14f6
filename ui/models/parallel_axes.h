// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QString>
#include <QVector>

#include "ui/widgets/parallel_plot.h"

namespace lockstep::ui {

/// A column of a table of runs as an axis of parallel coordinates. Numbers lie at their value, by
/// their logarithm where the largest is 20 times the smallest or more and all are positive, or all
/// negative, as losses are, of which the least is to be on top; words lie at even distances, in
/// their order. A row that says nothing there has no place.
/// `sortRole`: the role that gives a double or a QString.
[[nodiscard]] ParallelPlot::Axis axisOf(const QAbstractItemModel& model, int column, int sortRole);

}  // namespace lockstep::ui
