// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QString>
#include <QVector>
#include <vector>

#include "ui/charts/paint/axis_mark.h"
#include "ui/charts/paint/layer.h"
#include "ui/charts/paint/ticks.h"

namespace lockstep::ui {

/// A chart as it is shown at one moment, with everything that a reader without the window needs:
/// a value, which any thread may draw and write. Drawn on white, whatever the theme.
struct ChartPicture {
    struct Name {
        QString text;
        QColor colour;
    };
    struct Mark {
        double x = 0;  ///< In units of the axis.
        AxisMark::Kind kind = AxisMark::Kind::Epoch;
    };

    QString title;
    QString yTitle;  ///< What is drawn, and its unit.
    QString xTitle;
    QString note;                      ///< Of what the axis leaves out; empty: nothing.
    LayerRequest curves;               ///< Its size is the plot's; y is chosen.
    std::vector<ColumnView> smoothed;  ///< Empty, or one a series of `curves`.
    QStringList seriesNames;           ///< One a series of `curves`.
    QVector<Name> legend;
    QVector<Tick> xTicks;
    QVector<Tick> yTicks;
    QVector<Mark> marks;
    std::vector<double> spikes;  ///< Where curves leave the axis at the top: 0 to 1.
    QFont titleFont;             ///< In pixels, so that all devices agree.
    QFont font;

    /// Of the whole picture, in device independent pixels.
    [[nodiscard]] QSizeF size() const;
    void paint(QPainter& painter) const;
};

}  // namespace lockstep::ui
