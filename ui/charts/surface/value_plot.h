// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QVector>
#include <QWidget>

#include "ui/charts/paint/ticks.h"

namespace lockstep::ui {

/// Predicted against true values as points around the diagonal, and below how far off they are: a
/// histogram of predicted less true. Arrow keys go from point to point, the worst first.
class ValuePlot final : public QWidget {
    Q_OBJECT
public:
    explicit ValuePlot(QWidget* parent = nullptr);

    /// x: true, y: predicted. `name`: what is predicted.
    void setValues(const QString& name, const QVector<QPointF>& values);
    /// Of the point that is chosen or pointed at: "true 2.3, predicted 2.1: 0.2 too low".
    [[nodiscard]] QString readout() const;
    /// How many values lie in each bar of the histogram.
    [[nodiscard]] const QVector<int>& bars() const { return bars_; }
    /// The width of a bar: a round number. The middle one is around 0.
    [[nodiscard]] double barWidth() const { return barWidth_; }
    /// Of both axes: round numbers.
    [[nodiscard]] QVector<Tick> ticks() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Range {
        double low = 0;
        double high = 1;
        [[nodiscard]] double place(double value) const { return (value - low) / (high - low); }
    };
    [[nodiscard]] QRectF square() const;
    [[nodiscard]] QRectF histogram() const;
    [[nodiscard]] QPointF pointAt(const QPointF& value) const;
    void countBars();
    void choose(int rank);
    void paintPoints(QPainter& painter) const;
    void paintTicks(QPainter& painter) const;
    void paintBars(QPainter& painter) const;
    void paintBarTicks(QPainter& painter) const;

    QString name_;
    QVector<QPointF> values_;  ///< The worst first.
    QVector<int> bars_;
    Range range_;
    double barWidth_ = 1;
    int chosen_ = -1;
    int hovered_ = -1;
};

}  // namespace lockstep::ui
