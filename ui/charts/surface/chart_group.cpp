// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/chart_group.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/paint/series_renderer.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {
constexpr double kQuiet = 0.45;  // of the ink of words

QColor colourOf(Scores scores, const Theme& theme) {
    switch (scores) {
        case Scores::Evaluator:
            return theme.evaluator;
        case Scores::Test:
            return theme.test;
        case Scores::Validation:
        case Scores::Count:
            break;
    }
    return theme.validation;
}

}  // namespace

QColor colourOf(const SeriesInfo& info, int series, const Theme& theme) {
    if (info.colour.isValid()) return info.colour;
    if (info.mean) return theme.text;
    if (info.exact && info.colourIndex < 0) return colourOf(info.scores, theme);
    if (info.quiet) return mixed(theme.surface, theme.textSecondary, kQuiet);
    return theme.seriesColour(info.colourIndex >= 0 ? info.colourIndex : series);
}

int rankOf(const SeriesInfo& info) {
    return info.exact && info.colourIndex < 0 ? 1 + int(info.scores) : 0;
}

ChartGroup::ChartGroup(QObject* parent)
    : QObject(parent), renderer_(std::make_unique<SeriesRenderer>()) {}

ChartGroup::~ChartGroup() = default;

void ChartGroup::setSeries(QVector<SeriesInfo> series) {
    series_ = std::move(series);
    visible_.assign(std::size_t(series_.size()), true);
    clocks_.assign(std::size_t(series_.size()), Clock());
    marks_.clear();
    firstWallTime_ = lastWallTime_ = lastRunning_ = 0;
    firstStep_ = 0;
    lastStep_ = -1;
    epochs_.reset();
    for (FollowedRange& each : followed_)
        each.clear();
    crosshair_.reset();
    Q_EMIT seriesReset();
    Q_EMIT epochsChanged();
    setFollow(true);
    Q_EMIT appearanceChanged();
}

void ChartGroup::addSeries(const QVector<SeriesInfo>& more) {
    series_ += more;
    visible_.resize(std::size_t(series_.size()), true);
    clocks_.resize(std::size_t(series_.size()));
    Q_EMIT seriesAdded();
    Q_EMIT appearanceChanged();
}

void ChartGroup::setMarks(QVector<AxisMark> marks) {
    if (marks == marks_) return;
    marks_ = std::move(marks);
    Q_EMIT marksChanged();
}

void ChartGroup::setOutstanding(const std::optional<QVector<int>>& series) {
    bool isOther = false;
    for (int i = 0; i < series_.size(); ++i) {
        SeriesInfo& info = series_[i];
        const bool quiet = series && !info.mean && !info.exact && !series->contains(i);
        isOther = isOther || quiet != info.quiet;
        info.quiet = quiet;
    }
    if (!isOther) return;
    Q_EMIT outstandingChanged();
    Q_EMIT appearanceChanged();
}

void ChartGroup::setVisible(int series, bool visible) {
    if (series < 0 || series >= series_.size() || isVisible(series) == visible) return;
    visible_[std::size_t(series)] = visible;
    Q_EMIT visibilityChanged(series, visible);
    Q_EMIT appearanceChanged();
}

bool ChartGroup::isVisible(int series) const {
    return series >= 0 && series < series_.size() && visible_[std::size_t(series)];
}

void ChartGroup::setSmoothing(double weight) {
    weight = std::clamp(weight, 0.0, 0.999);
    if (weight == smoothing_) return;
    smoothing_ = weight;
    Q_EMIT appearanceChanged();
}

void ChartGroup::setFollow(bool follow) {
    if (follow == follow_) return;
    if (!follow) range_ = xRange();
    follow_ = follow;
    Q_EMIT followChanged(follow);
    Q_EMIT appearanceChanged();
}

void ChartGroup::setNewest(qint64 steps) {
    if (steps == newest_) return;
    newest_ = steps;
    Q_EMIT newestChanged(steps);
    Q_EMIT appearanceChanged();
}

void ChartGroup::showAll() {
    setNewest(0);
    setFollow(true);
}

void ChartGroup::setCrosshair(std::optional<double> x) {
    if (x == crosshair_) return;
    crosshair_ = x;
    Q_EMIT crosshairChanged();
}

}  // namespace lockstep::ui
