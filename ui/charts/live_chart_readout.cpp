// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart says of one place: the values under the crosshair, and the marks on its axis.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/live_chart_private.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

constexpr int kMostNamed = 8;    // replicas: of more, the extremes and what is unusual
constexpr int kMostUnusual = 3;  // of those named
constexpr double kUnusual = 3;   // standard deviations
constexpr double kNearMark = 6;  // pixels
constexpr qsizetype kMostNotes = 3;

struct Found {
    int series = 0;
    double value = 0;
};

/// Of many: their mean, the highest and the lowest by name, and who else is far from the others.
struct Summary {
    double mean = 0;
    std::vector<Found> named;  // the highest first, those that are not finite last
    int highest = -1;          // series; -1: no value is finite
    int lowest = -1;
    int others = 0;
};

Summary summarise(const std::vector<Found>& sorted) {
    Summary result;
    std::vector<Found> finite;
    std::vector<Found> broken;
    double squares = 0;
    for (const Found& each : sorted)
        (std::isfinite(each.value) ? finite : broken).push_back(each);
    for (const Found& each : finite)
        result.mean += each.value / double(finite.size());
    for (const Found& each : finite)
        squares += std::pow(each.value - result.mean, 2) / double(finite.size());
    const double far = kUnusual * std::sqrt(squares);
    int unusual = 0;
    for (std::size_t i = 0; i < finite.size(); ++i) {
        const bool extreme = i == 0 || i + 1 == finite.size();
        const bool isFar = std::abs(finite[i].value - result.mean) > far && far > 0;
        if (extreme || (isFar && unusual++ < kMostUnusual)) result.named.push_back(finite[i]);
    }
    for (std::size_t i = 0; i < broken.size() && i < std::size_t(kMostUnusual); ++i)
        result.named.push_back(broken[i]);
    if (finite.empty()) {
        result.mean = std::numeric_limits<double>::quiet_NaN();
    } else {
        result.highest = finite.front().series;
        result.lowest = finite.back().series;
    }
    result.others = int(sorted.size() - result.named.size());
    return result;
}

}  // namespace

QStringList LiveChart::Private::notesAt(double x) const {
    const ChartGroup::Range range = q.group_->xRange();
    const double near =
        kNearMark / std::max(1.0, surface->plot().width()) * (range.last - range.first);
    QStringList notes;
    const QVector<AxisMark>& marks = q.group_->marks();
    const auto first = std::lower_bound(
        marks.begin(), marks.end(), stepOf(0, x - near),
        [](const AxisMark& mark, double step) { return double(mark.step) < std::floor(step); });
    for (auto mark = first; mark != marks.end() && notes.size() < kMostNotes; ++mark) {
        const double at = xOf(0, mark->step);
        if (at > x + near) break;
        if (at >= x - near) notes << mark->words;
    }
    return notes;
}

std::optional<Readout> LiveChart::Private::readout() const {
    const std::optional<double> x = q.group_->crosshair_;
    const ChartGroup::Range range = q.group_->xRange();
    if (!x || *x < range.first || *x > range.last || q.pointCount() == 0) return std::nullopt;
    std::vector<Found> found;
    std::vector<Found> above;  // means and single points
    qint64 nearest = -1;
    for (int i = 0; i < int(columns.size()); ++i) {
        const ColumnView& raw = columns[std::size_t(i)].current();
        if (!q.group_->isVisible(i) || raw.size() == 0) continue;
        qint64 index = std::min(raw.size() - 1, raw.lowerBound(stepOf(i, *x)));
        const auto distance = [&](qint64 at) { return std::abs(xOf(i, raw.stepAt(at)) - *x); };
        if (index > 0 && distance(index - 1) < distance(index)) --index;
        const bool hasSmooth =
            std::size_t(i) < smoothed.size() && smoothed[std::size_t(i)].size() > index;
        const Found here{i, double(hasSmooth ? smoothed[std::size_t(i)].at(index) : raw.at(index))};
        const SeriesInfo& info = q.group_->series_[i];
        (info.mean || info.exact ? above : found).push_back(here);
        if (nearest < 0 || info.mean) nearest = raw.stepAt(index);
    }
    // NaN last: it has no order.
    const auto isHigher = [](const Found& a, const Found& b) {
        return std::isnan(b.value) ? !std::isnan(a.value) : a.value > b.value;
    };
    std::stable_sort(found.begin(), found.end(), isHigher);
    Readout result;
    result.x = (*x - range.first) / (range.last - range.first);
    result.headline =
        q.group_->axis_ == XAxis::Step
            ? LiveChart::tr("step %1").arg(units::count(nearest))
            : LiveChart::tr("%1 · step %2").arg(units::duration(*x), units::count(nearest));
    result.notes = notesAt(*x);
    const auto add = [&](const Found& each, const QString& name) {
        const double place = drawnLog ? std::log10(each.value) : each.value;
        result.rows.append({name, colourOf(each.series), q.formatted(each.value),
                            (place - y.first) / (y.last - y.first)});
    };
    const auto nameOf = [this](const Found& each) { return q.group_->series_[each.series].name; };
    if (found.size() <= std::size_t(kMostNamed)) {
        found.insert(found.end(), above.begin(), above.end());
        std::stable_sort(found.begin(), found.end(), isHigher);
        for (const Found& each : found)
            add(each, nameOf(each));
        return result;
    }
    for (const Found& each : above)
        add(each, nameOf(each));
    const Summary summary = summarise(found);
    const bool hasMean = std::any_of(above.begin(), above.end(), [this](const Found& each) {
        return q.group_->series_[each.series].mean;
    });
    if (!hasMean) {
        result.rows.append(
            {LiveChart::tr("Mean"), Theme::of(&q).text, q.formatted(summary.mean), -1});
    }
    for (const Found& each : summary.named) {
        add(each, each.series == summary.highest  ? LiveChart::tr("Highest: %1").arg(nameOf(each))
                  : each.series == summary.lowest ? LiveChart::tr("Lowest: %1").arg(nameOf(each))
                                                  : nameOf(each));
    }
    result.others = LiveChart::tr("%1 more between").arg(summary.others);
    return result;
}

}  // namespace lockstep::ui
