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

/// The first place from `first` on whose step does not lie beyond the one before.
std::size_t endOfGrowth(const std::vector<std::int64_t>& steps, std::size_t first) {
    const auto falls = std::adjacent_find(steps.begin() + std::ptrdiff_t(first), steps.end(),
                                          std::greater_equal<>());
    return falls == steps.end() ? steps.size() : std::size_t(falls - steps.begin()) + 1;
}

}  // namespace

ScalarFeed::ScalarFeed(ChartGroup& group, const LiveFeed& feed, FigureShelf& shelf, QObject* parent)
    : QObject(parent), group_(group), feed_(feed), shelf_(shelf) {
    shelf_.setCardMaker([this](const QString& name) { return makeCard(name); });
}

void ScalarFeed::reset() {
    shelf_.clear();
    figures_.clear();
    leftOut_.clear();
    waitingCount_ = 0;
    cut_ = 0;
}

void ScalarFeed::showView() {
    const auto isTold = [this](const job::ScalarColumns& columns) { return isKnown(columns); };
    for (auto& [name, figure] : figures_)
        if (figure.card != nullptr && std::ranges::any_of(figure.waiting, isTold)) tell(figure);
}

void ScalarFeed::wait(Figure& figure, const job::ScalarColumns& columns) {
    const auto [known, isNew] =
        figure.columnOf.try_emplace({columns.replica, columns.start}, figure.waiting.size());
    if (isNew)
        figure.waiting.push_back(
            {columns.name, columns.unit, columns.replica, columns.start, {}, {}, {}});
    job::ScalarColumns& mine = figure.waiting[known->second];
    const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    append(mine.steps, columns.steps);
    append(mine.wallTimes, columns.wallTimes);
    append(mine.values, columns.values);
    figure.waitingCount += columns.steps.size();
    waitingCount_ += columns.steps.size();
    while (waitingCount_ > kMostWaiting)
        cutOlder();
}

void ScalarFeed::cutOlder() {
    const auto most = std::ranges::max_element(
        figures_, {}, [](const auto& entry) { return entry.second.waitingCount; });
    Figure& figure = most->second;
    for (job::ScalarColumns& columns : figure.waiting) {
        const auto half = std::ptrdiff_t((columns.steps.size() + 1) / 2);
        const auto drop = [half](auto& from) { from.erase(from.begin(), from.begin() + half); };
        drop(columns.steps);
        drop(columns.wallTimes);
        drop(columns.values);
        figure.waitingCount -= std::size_t(half);
        waitingCount_ -= std::size_t(half);
    }
    if (!std::exchange(figure.isCut, true)) ++cut_;
}

void ScalarFeed::tell(Figure& figure) {
    waitingCount_ -= std::exchange(figure.waitingCount, 0);
    figure.columnOf.clear();
    addKnown(std::exchange(figure.waiting, {}));
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
    introduce(scalars);
    addKnown(scalars);
}

/// Names that are new: those that are to be seen have a card behind it.
void ScalarFeed::introduce(std::span<const job::ScalarColumns> scalars) {
    QVector<FigureShelf::Name> names;
    for (const job::ScalarColumns& columns : scalars) {
        if (figures_.contains(columns.name)) continue;
        if (figures_.size() >= kMostFigures) {
            leftOut_.insert(columns.name);
            continue;
        }
        figures_[columns.name].unit = QString::fromStdString(columns.unit);
        names.push_back({QString::fromStdString(columns.name), seriesName(columns.name)});
    }
    if (!names.isEmpty()) shelf_.add(names);
}

void ScalarFeed::addKnown(std::span<const job::ScalarColumns> all) {
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
            const auto figure = figures_.find(columns.name);
            const bool canWait = figure != figures_.end();
            if (!canWait || figure->second.card == nullptr || !isKnown(columns)) {
                done[i] = columns.steps.size();
                if (canWait) wait(figure->second, columns);
                continue;
            }
            const std::size_t first = std::exchange(done[i], endOfGrowth(columns.steps, done[i]));
            addTo(figure->second, columns, first, done[i]);
            more = more || done[i] < columns.steps.size();
        }
    }
}

ChartCard* ScalarFeed::makeCard(const QString& name) {
    auto* chart = new LiveChart(&group_);
    chart->setObjectName(QStringLiteral("scalarChart ") + name);
    const std::string tag = name.toStdString();
    Figure& figure = figures_.at(tag);
    const QString title = seriesName(tag);
    chart->setTitle(title);
    chart->setUnit(figure.unit);
    chart->setValueFormat([tag](double value) { return seriesValue(tag, value); });
    auto* card = new ChartCard(chart, &shelf_);
    card->setTitleElide(Qt::ElideMiddle);  // names that begin alike end apart
    if (title != name)
        card->setToolTip(title + QStringLiteral("  –  ") + name);  // as event files have it
    figure.card = card;
    if (!figure.waiting.empty()) tell(figure);
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
