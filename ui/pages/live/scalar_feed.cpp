// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/scalar_feed.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/metric_words.h"
#include "ui/pages/live/figure_shelf.h"
#include "ui/pages/live/live_feed.h"

namespace lockstep::ui {
namespace {

constexpr std::size_t kMostEarly = 10'000;  // pieces

/// The first place from `first` on whose step does not lie beyond the one before.
std::size_t endOfGrowth(const std::vector<std::int64_t>& steps, std::size_t first) {
    const auto falls = std::adjacent_find(steps.begin() + std::ptrdiff_t(first), steps.end(),
                                          std::greater_equal<>());
    return falls == steps.end() ? steps.size() : std::size_t(falls - steps.begin()) + 1;
}

}  // namespace

ScalarFeed::ScalarFeed(ChartGroup& group, const LiveFeed& feed, FigureShelf& shelf, QObject* parent)
    : QObject(parent), group_(group), feed_(feed), shelf_(shelf) {}

void ScalarFeed::reset() {
    for (const auto& [name, figure] : figures_)
        shelf_.remove(figure.card);
    figures_.clear();
    leftOut_.clear();
    early_.clear();
}

void ScalarFeed::showView() {
    if (!early_.empty()) add(std::exchange(early_, {}));
}

void ScalarFeed::keep(job::ScalarColumns columns) {
    if (early_.size() < kMostEarly)
        early_.push_back(std::move(columns));
    else
        leftOut_.insert(columns.name);
}

/// What the job says of itself is told of its mean; -1: the replica is not known yet.
int ScalarFeed::seriesOf(const job::ScalarColumns& columns) const {
    const bool ofJob = columns.replica < 0;
    if (ofJob && feed_.meanSeries() >= 0) return feed_.meanSeries();
    return feed_.seriesOf(ofJob ? 0 : columns.replica);
}

bool ScalarFeed::isKnown(const job::ScalarColumns& columns) const {
    if (columns.replica >= 0 && columns.start >= int(feed_.stepsBeforeStarts().size()))
        return false;
    return seriesOf(columns) >= 0;
}

void ScalarFeed::add(const std::vector<job::ScalarColumns>& scalars) {
    const std::span all(scalars);
    for (std::size_t begin = 0; begin < all.size();) {
        std::size_t end = begin + 1;
        while (end < all.size() && all[end].start == all[begin].start)
            ++end;
        addStart(all.subspan(begin, end - begin));
        begin = end;
    }
}

/// Columns of one start. Where a column's steps do not grow, what was said is said anew: what all
/// replicas said first comes before what anyone said then.
void ScalarFeed::addStart(std::span<const job::ScalarColumns> scalars) {
    std::vector<std::size_t> done(scalars.size(), 0);
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < scalars.size(); ++i) {
            const job::ScalarColumns& columns = scalars[i];
            if (done[i] == columns.steps.size()) continue;
            if (!isKnown(columns)) {
                done[i] = columns.steps.size();
                keep(columns);
                continue;
            }
            const std::size_t first = std::exchange(done[i], endOfGrowth(columns.steps, done[i]));
            if (Figure* figure = figureOf(columns)) addTo(*figure, columns, first, done[i]);
            more = more || done[i] < columns.steps.size();
        }
    }
}

ScalarFeed::Figure* ScalarFeed::figureOf(const job::ScalarColumns& columns) {
    const auto known = figures_.find(columns.name);
    if (known != figures_.end()) return &known->second;
    if (figures_.size() >= kMostCharts) {
        leftOut_.insert(columns.name);
        return nullptr;
    }
    Figure& figure = figures_[columns.name];
    figure.card =
        makeCard(QString::fromStdString(columns.name), QString::fromStdString(columns.unit));
    return &figure;
}

ChartCard* ScalarFeed::makeCard(const QString& name, const QString& unit) {
    auto* chart = new LiveChart(&group_);
    chart->setObjectName(QStringLiteral("scalarChart ") + name);
    const std::string tag = name.toStdString();
    const QString title = seriesName(tag);
    chart->setTitle(title);
    chart->setUnit(unit);
    chart->setValueFormat([tag](double value) { return seriesValue(tag, value); });
    auto* card = new ChartCard(chart, &shelf_);
    card->setTitleElide(Qt::ElideMiddle);  // names that begin alike end apart
    if (title != name)
        card->setToolTip(title + QStringLiteral("  –  ") + name);  // as event files have it
    shelf_.add(name, card);
    return card;
}

void ScalarFeed::addTo(Figure& figure, const job::ScalarColumns& columns, std::size_t first,
                       std::size_t end) {
    LiveChart& chart = figure.card->chart();
    const bool ofJob = columns.replica < 0;
    const int mean = feed_.meanSeries();
    const int series = seriesOf(columns);
    const auto part = [first, end](const auto& column) {
        return std::span(column).subspan(first, end - first);
    };
    const std::span steps = part(columns.steps);
    const std::span values = part(columns.values);
    const std::vector<qint64> at(steps.begin(), steps.end());
    if (!ofJob) group_.addTimes(series, at, part(columns.wallTimes));
    chart.appendPoints(series, at, std::vector<float>(values.begin(), values.end()));
    if (ofJob || mean < 0) return;
    if (columns.start >= 0)
        figure.mean.begin(columns.start, feed_.stepsBeforeStarts()[std::size_t(columns.start)]);
    const ScalarMean::Piece means =
        figure.mean.add(columns.replica, steps, values,
                        [this](std::int64_t step) { return feed_.replicasAt(step); });
    chart.appendPoints(mean, std::vector<qint64>(means.steps.begin(), means.steps.end()),
                       means.values);
}

}  // namespace lockstep::ui
