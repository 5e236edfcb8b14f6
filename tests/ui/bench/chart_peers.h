// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart with Qt Charts' own line series takes: the user's other way.
#pragma once

#include <QSize>
#include <QtCharts/QChartView>
#include <QtCharts/QLineSeries>
#include <vector>

#include "tests/bench/figures.h"
#include "tests/ui/bench/chart_losses.h"
#include "ui/charts/store/column_store.h"

namespace lockstep::bench {

/// Line series in a view of their own.
class LineView {
public:
    LineView(int series, QSize size, double steps) {
        view_.setRenderHint(QPainter::Antialiasing, false);
        for (int i = 0; i < series; ++i) {
            series_.push_back(new QLineSeries);
            view_.chart()->addSeries(series_.back());
        }
        view_.chart()->legend()->hide();
        view_.chart()->createDefaultAxes();
        view_.chart()->axes(Qt::Horizontal).first()->setRange(0, steps);
        view_.chart()->axes(Qt::Vertical).first()->setRange(0, 4);
        view_.resize(size);
        view_.show();
    }
    [[nodiscard]] int columns() const { return int(view_.chart()->plotArea().width()); }
    void replace(int series, const QList<QPointF>& points) {
        series_[std::size_t(series)]->replace(points);
    }
    void repaint() { view_.viewport()->repaint(); }

private:
    QChartView view_;
    std::vector<QLineSeries*> series_;  // of the chart
};

/// One series of all its points, of which the last one moves.
class RawLine {
public:
    RawLine(int points, QSize size) : view_(1, size, points) {
        Losses losses;
        for (int first = 0; first < points; first += Losses::kMost)
            for (const float value : losses.at(0, first, Losses::kMost))
                points_.append({double(points_.size()), double(value)});
    }
    void picture(std::vector<double>& seconds) {
        points_.last().ry() += 0.001;
        seconds.push_back(secondsOf([&] {
            view_.replace(0, points_);
            view_.repaint();
        }));
    }

private:
    LineView view_;
    QList<QPointF> points_;
};

/// Many series, each thinned to the least and the greatest value of every pixel column by the
/// same pyramid that the chart under test uses.
class ThinnedLines {
public:
    ThinnedLines(int series, int points, QSize size) : view_(series, size, points) {
        Losses losses;
        columns_.resize(std::size_t(series));
        for (int i = 0; i < series; ++i)
            for (int first = 0; first < points; first += Losses::kMost)
                columns_[std::size_t(i)].append(first, losses.at(i, first, Losses::kMost));
    }
    /// The part of the steps from `first` to `last`.
    void picture(double first, double last, std::vector<double>& seconds) {
        seconds.push_back(secondsOf([&] {
            for (std::size_t i = 0; i < columns_.size(); ++i)
                view_.replace(int(i), thinned(columns_[i].current(), first, last));
            view_.repaint();
        }));
    }

private:
    [[nodiscard]] QList<QPointF> thinned(const ui::ColumnView& values, double first,
                                         double last) const {
        QList<QPointF> points;
        const int columns = view_.columns();
        points.reserve(2 * columns);
        const double width = (last - first) / columns;
        std::vector<qint64> edges;
        for (int column = 0; column <= columns; ++column)
            edges.push_back(values.lowerBound(first + column * width));
        std::vector<ui::Stretch> stretches(static_cast<std::size_t>(columns));
        values.stretches(edges, stretches);
        for (int column = 0; column < columns; ++column) {
            const double left = first + column * width;
            const ui::MinMax& extent = stretches[static_cast<std::size_t>(column)].bounds;
            if (extent.isEmpty()) continue;
            points.append({left, double(extent.min)});
            points.append({left, double(extent.max)});
        }
        return points;
    }

    LineView view_;
    std::vector<ui::Column> columns_;
};

}  // namespace lockstep::bench
