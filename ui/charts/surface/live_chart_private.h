// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <optional>
#include <vector>

#include "ui/charts/surface/chart_surface.h"
#include "ui/charts/surface/live_chart.h"

namespace lockstep::ui {

/// What one curve is worth at a place.
struct CurveValue {
    int series = 0;
    double value = 0;
    qint64 step = 0;  ///< Whose value it is: the nearest one that the curve has.
};
struct CurveValues {
    std::vector<CurveValue> replicas;  ///< The highest first, those that are no number last.
    std::vector<CurveValue> above;     ///< Means and single points.
    qint64 nearestStep = -1;
    bool areSmoothed = false;  ///< All curves' but those of single points, or none's.
};

/// The chart's data and what is on the screen.
class LiveChart::Private {
public:
    explicit Private(LiveChart& chart) : q(chart), surface(new ChartSurface(&chart)) {}

    [[nodiscard]] QColor colourOf(int series) const;
    [[nodiscard]] bool hasPoints(int series) const;
    [[nodiscard]] bool isShown(int series) const;
    [[nodiscard]] QString noteOf(const RenderedLayer& layer) const;
    /// The point next to a part of the x axis that has none.
    struct Elsewhere {
        qint64 step = 0;
        double place = 0;
        bool isRight = false;
    };
    [[nodiscard]] std::optional<Elsewhere> elsewhere() const;
    void showElsewhere();
    void goElsewhere();
    [[nodiscard]] std::optional<Readout> readout() const;
    [[nodiscard]] QString headlineAt(double x, qint64 nearestStep) const;
    [[nodiscard]] bool hasSmoothed(int series) const;
    [[nodiscard]] bool areAllSmoothed() const;
    [[nodiscard]] CurveValues valuesAt(double x) const;
    [[nodiscard]] QString nameOf(const CurveValue& each, qint64 nearestStep) const;
    void addRow(Readout& readout, const CurveValue& each, const QString& name) const;
    void addSummary(Readout& readout, const CurveValues& values) const;
    void showAxes(const RenderedLayer& layer);
    void showMarks();
    [[nodiscard]] QVector<ChartSurface::Mark> marksWithin(AxisRange x) const;
    [[nodiscard]] QVector<Tick> xTicks() const;
    [[nodiscard]] QVector<Tick> logXTicks(AxisRange range, int wanted) const;
    [[nodiscard]] QVector<Tick> yTicks(AxisRange range) const;
    [[nodiscard]] QVector<Tick> yShareTicks(AxisRange range) const;
    [[nodiscard]] int ticksAcross() const;
    [[nodiscard]] int ticksUp() const;
    [[nodiscard]] LayerSeries layerSeries(int series, const Theme& theme) const;
    [[nodiscard]] ChartPicture picture() const;
    void postRequest();
    void accept(const RenderedLayer& layer);
    void zoom(const QPointF& at, double factorX, double factorY);
    void pan(double right, double up);
    void range(double first, double last);
    void box(const QRectF& area);
    /// Of the newest headlineSteps of a series; not finite where its newest value is not.
    [[nodiscard]] double newestMean(int series) const;
    /// The values of all visible curves in a part of the x axis, as y is drawn; empty (first
    /// behind last): none.
    [[nodiscard]] AxisRange valuesWithin(AxisRange x) const;
    /// Takes over a part of the y axis that the user chose, moved to where curves are.
    void chooseY(AxisRange range);
    /// After a change of what the group shows: curves must not leave the part that was chosen.
    void keepInView();
    [[nodiscard]] QVector<AxisMark> marksNear(double x) const;
    [[nodiscard]] QStringList notesAt(double x) const;
    /// The mark that a click at the pointer chooses; nullopt: there is none.
    [[nodiscard]] std::optional<AxisMark> pointedMark() const;
    /// `at`: in fractions of the plot.
    void pointAt(std::optional<QPointF> at);
    /// Chooses the mark there, unless it becomes a double click, which means something else.
    void click(const QPointF& at);

    LiveChart& q;
    ChartSurface* surface;
    QTimer timer;
    QElapsedTimer sinceRefresh;
    ValueFormat valueFormat;
    ValueFormat yFormat;
    QString emptyText;
    std::optional<double> yLow;
    std::optional<double> yCeiling;
    std::vector<Column> columns;
    AxisRange shownX{0, 1};  ///< Of the picture that is shown.
    std::optional<QPointF> pointer;
    AxisMark clicked;
    QTimer clickTimer;  ///< Until it cannot become a double click any more.
    std::vector<double> spikes;
    AxisRange y{0, 1};  ///< As drawn: logarithms on a log scale.
    bool offersLogY = true;
    bool logY = false;
    bool hasCurves = false;  ///< On the screen.
    bool ignoresOutliers = false;
    int headline = -1;  ///< The series whose newest value is told; -1: the mean.
    qint64 headlineSteps = 1;
    bool manualY = false;
    bool drawnLog = false;
    int client = -1;
    quint64 posted = 0;
    quint64 drawn = 0;
    std::vector<ColumnView> smoothed;
};

}  // namespace lockstep::ui
