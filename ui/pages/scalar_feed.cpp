// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/scalar_feed.h"

#include "ui/charts/chart_card.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/live_chart.h"
#include "ui/pages/chart_grid.h"
#include "ui/pages/live_feed.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr int kLongestTitle = 28;  // beside the newest value in a card of the narrowest page

}  // namespace

ScalarFeed::ScalarFeed(ChartGroup& group, const LiveFeed& feed, ChartGrid& grid, QObject* parent)
    : QObject(parent), group_(group), feed_(feed), grid_(grid) {}

void ScalarFeed::reset() {
    for (const auto& [name, figure] : figures_)
        grid_.remove(figure.card);
    figures_.clear();
    leftOut_.clear();
}

void ScalarFeed::add(const std::vector<job::ScalarColumns>& scalars) {
    for (const job::ScalarColumns& columns : scalars) {
        if (Figure* figure = figureOf(columns)) addTo(*figure, columns);
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
    chart->setTitle(name);
    chart->setUnit(unit);
    chart->setValueFormat([](double value) { return units::number(value); });
    auto* card = new ChartCard(chart, &grid_);
    if (name.size() > kLongestTitle) {
        card->setTitle(name.left(kLongestTitle - 1) + QStringLiteral("…"));
        card->setToolTip(name);
    }
    grid_.add(card);
    return card;
}

void ScalarFeed::addTo(Figure& figure, const job::ScalarColumns& columns) {
    LiveChart& chart = figure.card->chart();
    const bool ofJob = columns.replica < 0;
    const int mean = feed_.meanSeries();
    const int series = ofJob && mean >= 0 ? mean : feed_.seriesOf(ofJob ? 0 : columns.replica);
    if (series < 0) return;
    for (std::size_t i = 0; i < columns.steps.size(); ++i) {
        const std::int64_t step = columns.steps[i];
        if (!ofJob) group_.noteTime(series, step, columns.wallTimes[i]);
        chart.appendPoint(series, step, float(columns.values[i]));
        if (ofJob || mean < 0) continue;
        if (const auto point =
                figure.mean.add(columns.replica, feed_.replicas(), step, columns.values[i]))
            chart.appendPoint(mean, point->step, point->value);
    }
}

}  // namespace lockstep::ui
