// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QObject>
#include <QString>
#include <QVector>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ui/charts/paint/axis_mark.h"
#include "ui/charts/paint/axis_range.h"
#include "ui/charts/paint/x_scale.h"
#include "ui/charts/store/column_store.h"
#include "ui/charts/surface/followed_range.h"

namespace lockstep::ui {

class SeriesRenderer;

/// What single points among the replicas' curves are of: each has a colour of its own.
enum class Scores { Validation, Evaluator, Test, Count };

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
    Scores scores = Scores::Validation;  ///< Of exact ones without a colour index.
};

struct Theme;
/// What a series looks like in a chart and in its legend.
[[nodiscard]] QColor colourOf(const SeriesInfo& info, int series, const Theme& theme);
/// Legends and tables have scores in one order, behind all others, whichever came first.
[[nodiscard]] int rankOf(const SeriesInfo& info);

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

    /// When steps, which grow, ended: of figures that come without their steps' times. Those beyond
    /// the known ones are taken, and those that a later start (setStarts()) trained again.
    void addTimes(int series, std::span<const qint64> steps, std::span<const double> wallTimes);

    /// Of a series' run, before whose starts, but the first, it stood still; in order of their
    /// steps. For how long is told by the first series that has times: of several that is replica
    /// 0's, which is in all starts. With origins of their own each tells it for itself.
    void setStarts(int series, std::vector<RunStart> starts);
    /// Of a series' epochs; 0 (the start): it has none.
    void setStepsPerEpoch(int series, double steps);
    /// The time for which a run has run counts from the first step of each series, not from the
    /// first of all: they are different runs.
    void setOwnOrigins(bool own);

    /// In order of their steps.
    void setMarks(QVector<AxisMark> marks);
    [[nodiscard]] const QVector<AxisMark>& marks() const { return marks_; }

    /// What x counts from now on, and whether on a log scale. Where no series has epochs, steps
    /// stand for them; the time of day has no log scale. Follows again where either changes.
    void setXAxis(XAxis axis, bool logarithmic = false);
    [[nodiscard]] XAxis xAxis() const;
    [[nodiscard]] bool isLogX() const;
    [[nodiscard]] bool knowsEpochs() const;
    /// Where a series' steps lie.
    [[nodiscard]] XScale scaleOf(int series) const;
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
    /// Shows a part of the x axis, as it is drawn, and stops following. Steps count from 0, epochs
    /// likewise, times in seconds from the first step.
    void setXRange(AxisRange range);
    [[nodiscard]] AxisRange xRange() const;
    /// The range moved and cut to where there is something to see.
    [[nodiscard]] AxisRange withinExtent(AxisRange range) const;

    /// Puts the crosshair where the step under way at a time is, in seconds since 1970, and moves
    /// the range there where it is not shown. False where no series knows its times.
    bool showMoment(double wallTime);
    /// When a step ended, in seconds since 1970; 0: no series knows its times.
    [[nodiscard]] double wallTimeOf(qint64 step) const;
    /// As the x axis is drawn; nullopt: the pointer is elsewhere.
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
    /// Whether there are epochs to count by.
    void epochsChanged();
    /// Something that changes the picture: range, axis, smoothing, visibility.
    void appearanceChanged();
    /// New points alone changed what is shown.
    void grown();
    void crosshairChanged();
    /// A click on one of the marks, in any of the charts.
    void markChosen(const lockstep::ui::AxisMark& mark);

private:
    friend class LiveChart;

    /// What is known of a series besides its values.
    struct Clock {
        TimeColumn times;
        std::vector<RunStart> starts{};
        double stepsPerEpoch = 0;
        qint64 firstStep = 0;
        qint64 lastStep = -1;
    };

    /// Charts report a series' extent in steps as data comes.
    void noteExtent(int series, qint64 firstStep, qint64 lastStep);
    void noteTimes(int series, std::span<const double> wallTimes);
    [[nodiscard]] bool isNewsOf(const Clock& clock, qint64 step, double wallTime) const;
    bool sharePauses(int series);
    void followEpochs();
    void growEpochs(const Clock& clock);
    void followTimes();
    [[nodiscard]] int clockOf(int series) const;
    [[nodiscard]] double runningOriginOf(int series) const;
    [[nodiscard]] double runningTimeOf(int series) const;
    void measureRunning();
    [[nodiscard]] AxisRange followed() const;
    [[nodiscard]] AxisRange newestRange() const;
    [[nodiscard]] AxisRange drawn(AxisRange units) const;
    [[nodiscard]] double leastSpan(double first) const;
    [[nodiscard]] double leastPlace() const;
    [[nodiscard]] SeriesRenderer& renderer() { return *renderer_; }

    QVector<SeriesInfo> series_;
    QVector<AxisMark> marks_;
    std::vector<bool> visible_;
    std::vector<Clock> clocks_;
    double firstWallTime_ = 0;  ///< 0: none yet.
    double lastWallTime_ = 0;
    qint64 firstStep_ = 0;
    qint64 lastStep_ = -1;
    double lastRunning_ = 0;
    std::optional<AxisRange> epochs_;  ///< Of all series whose epochs are known.
    XAxis axis_ = XAxis::Step;
    bool logX_ = false;
    bool ownOrigins_ = false;
    AxisRange range_;
    double smoothing_ = 0;
    bool follow_ = true;
    qint64 newest_ = 0;
    /// Shown while following, in units of each axis, in their order.
    std::array<FollowedRange, 4> followed_{FollowedRange(100, 10, 1), FollowedRange(1, 0.01, 0.1),
                                           FollowedRange(1, 1, 0), FollowedRange(1, 1, 0)};
    std::optional<double> crosshair_;
    std::unique_ptr<SeriesRenderer> renderer_;
};

}  // namespace lockstep::ui
