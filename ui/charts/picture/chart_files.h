// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include "core/base/result.h"
#include "ui/charts/picture/chart_picture.h"

namespace lockstep::ui {

/// Of twice as many pixels as on the screen.
[[nodiscard]] QImage imageOf(const ChartPicture& picture);
/// Vectors, and words as text.
[[nodiscard]] QByteArray svgOf(const ChartPicture& picture);
[[nodiscard]] QByteArray pdfOf(const ChartPicture& picture);

/// Writes it as the name's ending says: .png, .svg, .pdf or .csv; the file is replaced at once or
/// not at all. Errors: BadInput (another ending), Io.
[[nodiscard]] Result<void> saveChart(const ChartPicture& picture, const QString& path);

}  // namespace lockstep::ui
