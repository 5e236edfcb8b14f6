// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <QVector>

namespace lockstep::ui {

/// What the crosshair says: a place and each curve's value there.
struct Readout {
    struct Row {
        QString name;
        QColor colour;
        QString value;
        double y = 0;  ///< Where its dot is: 0 at the bottom of the plot, 1 at the top.
    };
    double x = 0;       ///< 0 at the left of the plot, 1 at the right.
    QString headline;   ///< "step 1 200 · 3 min 20 s"
    QStringList notes;  ///< What happened there.
    QVector<Row> rows;  ///< In the order in which they are written.
    QString others;     ///< What is said of those that are not named; empty: all are.
};

/// Draws line, dots and table into the plot. Rows that do not fit are counted in the last line.
void paintReadout(QPainter& painter, const QRectF& plot, const Readout& readout);

}  // namespace lockstep::ui
