// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/picture/chart_picture.h"

class QIODevice;

namespace lockstep::ui {

/// How many points of a picture's curves its range holds.
[[nodiscard]] qint64 pointsOf(const ChartPicture& picture);

/// The raw points of the range, a line each: series, step, epoch, seconds since the first step
/// without pauses, date and time in UTC, value; empty where one is not known. False: the device
/// took less.
[[nodiscard]] bool writeChartCsv(const ChartPicture& picture, QIODevice& device);

}  // namespace lockstep::ui
