// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QObject>
#include <QString>
#include <QVector>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ui/charts/paint/axis_range.h"
#include "ui/charts/store/column_store.h"
#include "ui/charts/surface/axis_mark.h"

namespace lockstep::ui {

class SeriesRenderer;

/// One line of a chart. An invalid colour is replaced by the theme's for that index, and by the
/// text's for a mean line.
struct SeriesInfo {
    QString name;
    QColor colour;
    bool mean = false;     ///< Drawn over the others and stronger.
    int timesOf = -1;      ///< Whose times belong to its steps; -1: its own.
    int colourIndex = -1;  ///< Among the theme's colours; -1: its place among the series.
    bool quiet = false;    ///< One of many: a part of the band that all of them make.
    bool exact = false;    ///< Few points, such as one an epoch: over the others, never smoothed.
};

struct Theme;
/// What a series looks like in a chart and in its legend.
[[nodiscard]] QColor colourOf(const SeriesInfo& info, int series, const Theme& theme);

/// What the charts of a page have in common: series, x range, x axis, smoothing, crosshair, and
/// whether they follow new data. It may be destroyed before its charts, which then do nothing
/// more. Belongs to the UI thread.
class ChartGroup final : public QObject {
    Q_OBJECT
public:
    explicit ChartGroup(QObject* parent = nullptr);
    ~ChartGroup() override;

    /// Empties all charts of the group and follows again.
    void setSeries(QVector<SeriesInfo> series);
    /// More of them; what the others show stays.
    void addSeries(const QVector<SeriesInfo>& more);
    [[nodiscard]] const QVector<SeriesInfo>& series() const { return series_; }
    /// Of replicas these alone have colours of their own, the others are a band behind them;
    /// nullopt (the start): all have.
    void setOutstanding(const std::optional<QVector<int>>& series);
    void setVisible(int series, bool visible);
    [[nodiscard]] bool isVisible(int series) const;

    /// When consecutive steps of a series ended, in seconds since 1970, never decreasing.
    /// Steps that were said before (after a restart) replace the former ones and what followed.
    void appendTimes(int series, qint64 firstStep, std::span<const double> wallTimes);

    /// When steps, which grow, ended; those beyond the known ones are taken: of figures that come
    /// without their steps' times.
    void addTimes(int series, std::span<const qint64> steps, std::span<const double> wallTimes);

    /// In order of their steps.
    void setMarks(QVector<AxisMark> marks);
    [[nodiscard]] const QVector<AxisMark>& marks() const { return marks_; }

    void setXAxis(XAxis axis);
    /// Weight of the past in an exponential mean, 0 (none) to 0.999; less for short curves.
    void setSmoothing(double weight);
    [[nodiscard]] double smoothing() const { return smoothing_; }

    /// Following shows everything and grows with it. Ends when the user zooms or pans.
    void setFollow(bool follow);
    [[nodiscard]] bool isFollowing() const { return follow_; }
    /// Following shows the newest so many steps alone; 0 (the start): all.
    void setNewest(qint64 steps);
    [[nodiscard]] qint64 newest() const { return newest_; }
    /// Follows, and shows everything.
    void showAll();
    /// Shows a part of the x axis (steps, or seconds since the first time) and stops following.
    void setXRange(AxisRange range);
    [[nodiscard]] AxisRange xRange() const;
    /// The range moved and cut to where there is something to see.
    [[nodiscard]] AxisRange withinExtent(AxisRange range) const;

    /// In units of the x axis; nullopt: the pointer is elsewhere.
    void setCrosshair(std::optional<double> x);
    [[nodiscard]] std::optional<double> crosshair() const { return crosshair_; }

Q_SIGNALS:
    void seriesReset();
    void seriesAdded();
    void marksChanged();
    void visibilityChanged(int series, bool visible);
    void outstandingChanged();
    void followChanged(bool following);
    void newestChanged(qint64 steps);
    /// Something that changes the picture: range, axis, smoothing, visibility.
    void appearanceChanged();
    /// New points alone changed what is shown.
    void grown();
    void crosshairChanged();

private:
    friend class LiveChart;

    /// Charts report their extent in steps as data comes.
    void noteExtent(qint64 firstStep, qint64 lastStep);
    void noteTimes(std::span<const double> wallTimes);
    void followSteps();
    void followTimes();
    [[nodiscard]] AxisRange newestRange() const;
    [[nodiscard]] const TimeColumn& timesOf(int series) const;
    [[nodiscard]] SeriesRenderer& renderer() { return *renderer_; }

    QVector<SeriesInfo> series_;
    QVector<AxisMark> marks_;
    std::vector<bool> visible_;
    std::vector<TimeColumn> times_;
    double firstWallTime_ = 0;  ///< 0: none yet.
    double lastWallTime_ = 0;
    qint64 firstStep_ = 0;
    qint64 lastStep_ = -1;
    XAxis axis_ = XAxis::Step;
    AxisRange range_;
    double smoothing_ = 0;
    bool follow_ = true;
    qint64 newest_ = 0;
    bool followsAnew_ = false;         ///< The extent also grew to the left.
    AxisRange followedSteps_{0, 100};  ///< Shown while following; has a little air on the right.
    AxisRange followedTimes_{0, 1};
    std::optional<double> crosshair_;
    std::unique_ptr<SeriesRenderer> renderer_;
};

}  // namespace lockstep::ui
