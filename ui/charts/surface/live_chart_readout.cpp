// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart says of one place: the values under the crosshair, and the marks on its axis.
#include <QApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ui/charts/surface/live_chart_private.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

constexpr int kMostNamed = 8;    // replicas: of more, the extremes and what is unusual
constexpr int kMostUnusual = 3;  // of those named
constexpr double kUnusual = 3;   // standard deviations
constexpr double kNearMark = 6;  // pixels
constexpr double kFoot = 16;     // likewise: of marks that are no lines across the plot
constexpr qsizetype kMostNotes = 3;

int rankOf(AxisMark::Kind kind) {
    using Kind = AxisMark::Kind;
    switch (kind) {
        case Kind::Chosen:
            return 0;
        case Kind::Loss:
            return 1;
        case Kind::Restart:
            return 2;
        case Kind::Verdict:
            return 3;
        case Kind::Best:
            return 4;
        case Kind::Epoch:
            return 5;
        case Kind::Checkpoint:
        case Kind::Count:
            break;
    }
    return 6;
}

bool isAtFoot(AxisMark::Kind kind) {
    return kind == AxisMark::Kind::Epoch || kind == AxisMark::Kind::Checkpoint;
}

// What is not a number comes last: it has no order.
bool isHigher(const CurveValue& a, const CurveValue& b) {
    return std::isnan(b.value) ? !std::isnan(a.value) : a.value > b.value;
}

/// What is said of many: their mean, the highest and the lowest by name, and who else is far from
/// the others.
struct Summary {
    double mean = 0;
    std::vector<CurveValue> named;  // the highest first, those that are not finite last
    int highest = -1;               // series; -1: no value is finite
    int lowest = -1;
    int others = 0;
    int broken = 0;  // of the others, those that are not finite
};

Summary summarise(const std::vector<CurveValue>& sorted) {
    Summary result;
    std::vector<CurveValue> finite;
    std::vector<CurveValue> broken;
    double squares = 0;
    for (const CurveValue& each : sorted)
        (std::isfinite(each.value) ? finite : broken).push_back(each);
    for (const CurveValue& each : finite)
        result.mean += each.value / double(finite.size());
    for (const CurveValue& each : finite)
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
    result.broken = std::max(0, int(broken.size()) - kMostUnusual);
    return result;
}

}  // namespace

/// What was lost comes before what was saved.
QVector<AxisMark> LiveChart::Private::marksNear(double x) const {
    const AxisRange range = q.group_->xRange();
    const double near =
        kNearMark / std::max(1.0, surface->plot().width()) * (range.last - range.first);
    QVector<AxisMark> found;
    const XScale scale = q.group_->scaleOf(0);
    if (!scale.isKnown()) return {};
    const QVector<AxisMark>& marks = q.group_->marks();
    const auto first = std::lower_bound(
        marks.begin(), marks.end(), scale.stepAt(x - near),
        [](const AxisMark& mark, double step) { return double(mark.step) < std::floor(step); });
    for (auto mark = first; mark != marks.end(); ++mark) {
        const double at = scale.at(mark->step);
        if (at > x + near) break;
        if (at >= x - near) found << *mark;
    }
    std::ranges::stable_sort(found, {}, [](const AxisMark& mark) { return rankOf(mark.kind); });
    return found;
}

/// Of those at one place an epoch comes last: more is to be seen of a checkpoint.
std::optional<AxisMark> LiveChart::Private::pointedMark() const {
    if (!pointer || q.group_ == nullptr || q.group_->series().isEmpty()) return std::nullopt;
    const AxisRange range = q.group_->xRange();
    const double x = range.first + pointer->x() * (range.last - range.first);
    const bool isLow = pointer->y() * surface->plot().height() <= kFoot;
    QVector<AxisMark> found = marksNear(x);
    found.removeIf([isLow](const AxisMark& mark) {
        return mark.click.isEmpty() || (isAtFoot(mark.kind) && !isLow);
    });
    if (found.isEmpty()) return std::nullopt;
    const XScale scale = q.group_->scaleOf(0);
    return std::ranges::min(found, {}, [&](const AxisMark& mark) {
        return std::pair(std::abs(scale.at(mark.step) - x), mark.kind == AxisMark::Kind::Epoch);
    });
}

void LiveChart::Private::pointAt(std::optional<QPointF> at) {
    if (q.group_ == nullptr) return;  // the page is being destroyed
    const bool wasAtMark = pointedMark().has_value();
    pointer = at;
    const bool isAtMark = pointedMark().has_value();
    surface->setClickable(isAtMark);
    const AxisRange x = q.group_->xRange();
    std::optional<double> crosshair;
    if (at) crosshair = x.first + at->x() * (x.last - x.first);
    q.group_->setCrosshair(crosshair);
    if (wasAtMark != isAtMark) surface->setReadout(readout());  // the crosshair may be where it was
}

void LiveChart::Private::click(const QPointF& at) {
    pointer = at;
    const std::optional<AxisMark> mark = pointedMark();
    if (!mark) return clickTimer.stop();
    clicked = *mark;
    clickTimer.start(QApplication::doubleClickInterval());
}

/// Where there is no room for all, the first ones are told.
QStringList LiveChart::Private::notesAt(double x) const {
    const QVector<AxisMark> found = marksNear(x);
    QStringList notes;
    for (const AxisMark& mark : found.first(std::min<qsizetype>(found.size(), kMostNotes)))
        notes << mark.words;
    if (found.size() > kMostNotes)
        notes << LiveChart::tr("and %1 more").arg(units::count(found.size() - kMostNotes));
    return notes;
}

bool LiveChart::Private::hasSmoothed(int series) const {
    const auto index = std::size_t(series);
    return index < smoothed.size() && smoothed[index].size() > 0;
}

/// The usual ones among many replicas are drawn as they are: a mean is not told beside their
/// values, which it cannot be compared with.
bool LiveChart::Private::areAllSmoothed() const {
    if (smoothed.empty()) return false;
    for (int i = 0; i < int(columns.size()); ++i)
        if (isShown(i) && !q.group_->series_[i].exact && !hasSmoothed(i)) return false;
    return true;
}

CurveValues LiveChart::Private::valuesAt(double x) const {
    CurveValues values;
    values.areSmoothed = areAllSmoothed();
    for (int i = 0; i < int(columns.size()); ++i) {
        if (!isShown(i)) continue;
        const SeriesInfo& info = q.group_->series_[i];
        // Points that came behind the picture are told once they are drawn.
        const bool isSmooth = values.areSmoothed && !info.exact;
        const ColumnView& told =
            isSmooth ? smoothed[std::size_t(i)] : columns[std::size_t(i)].current();
        const XScale scale = q.group_->scaleOf(i);
        qint64 index = std::min(told.size() - 1, told.lowerBound(scale.stepAt(x)));
        const auto distance = [&](qint64 at) { return std::abs(scale.at(told.stepAt(at)) - x); };
        if (index > 0 && distance(index - 1) < distance(index)) --index;
        (info.mean || info.exact ? values.above : values.replicas)
            .push_back({i, double(told.at(index)), told.stepAt(index)});
        if (values.nearestStep < 0 || info.mean) values.nearestStep = told.stepAt(index);
    }
    std::stable_sort(values.replicas.begin(), values.replicas.end(), isHigher);
    return values;
}

double LiveChart::Private::newestMean(int series) const {
    const bool known = series >= 0 && series < int(columns.size());
    const qint64 size = known ? columns[std::size_t(series)].size() : 0;
    if (size == 0) return std::numeric_limits<double>::quiet_NaN();
    const ColumnView& values = columns[std::size_t(series)].current();
    const double newest = double(values.at(size - 1));
    if (!std::isfinite(newest)) return newest;
    double sum = 0;
    qint64 count = 0;
    for (qint64 i = std::max<qint64>(0, size - headlineSteps); i < size; ++i) {
        const double value = double(values.at(i));
        if (!std::isfinite(value)) continue;
        sum += value;
        ++count;
    }
    return sum / double(count);
}

/// Of few points the nearest may be far from the crosshair: then its step is told, too.
QString LiveChart::Private::nameOf(const CurveValue& each, qint64 nearestStep) const {
    const SeriesInfo& info = q.group_->series_[each.series];
    return info.exact && each.step != nearestStep
               ? LiveChart::tr("%1, step %2").arg(info.name, units::count(each.step))
               : info.name;
}

void LiveChart::Private::addRow(Readout& readout, const CurveValue& each,
                                const QString& name) const {
    const double place = drawnLog ? std::log10(each.value) : each.value;
    readout.rows.append({name, colourOf(each.series), q.formatted(each.value),
                         (place - y.first) / (y.last - y.first)});
}

/// The highest, the lowest and what is unusual among many, below their mean.
void LiveChart::Private::addSummary(Readout& readout, const CurveValues& values) const {
    const auto infoOf = [this](const CurveValue& each) -> const SeriesInfo& {
        return q.group_->series_[each.series];
    };
    for (const CurveValue& each : values.above)
        addRow(readout, each, nameOf(each, values.nearestStep));
    const Summary summary = summarise(values.replicas);
    if (std::ranges::none_of(values.above,
                             [&](const CurveValue& each) { return infoOf(each).mean; }))
        readout.rows.append(
            {LiveChart::tr("Mean"), Theme::of(&q).text, q.formatted(summary.mean), -1});
    for (const CurveValue& each : summary.named) {
        const QString& name = infoOf(each).name;
        addRow(readout, each,
               each.series == summary.highest  ? LiveChart::tr("Highest: %1").arg(name)
               : each.series == summary.lowest ? LiveChart::tr("Lowest: %1").arg(name)
                                               : name);
    }
    readout.others = LiveChart::tr("%1 more between").arg(summary.others - summary.broken);
    if (summary.broken > 0)
        readout.others =
            LiveChart::tr("%1, %2 more not finite").arg(readout.others).arg(summary.broken);
}

/// Where the crosshair is.
QString LiveChart::Private::headlineAt(double x, qint64 nearestStep) const {
    const QString step = units::count(nearestStep);
    const double place = XScale::units(x, q.group_->isLogX());
    switch (q.group_->xAxis()) {
        case XAxis::Step:
            break;
        case XAxis::Epoch:
            return LiveChart::tr("epoch %1 · step %2").arg(units::number(place), step);
        case XAxis::Relative:
            return LiveChart::tr("%1 · step %2").arg(units::duration(place), step);
        case XAxis::Wall:
            return LiveChart::tr("%1 · step %2")
                .arg(units::dateAndTime(q.group_->firstWallTime_ + place), step);
    }
    return LiveChart::tr("step %1").arg(step);
}

std::optional<Readout> LiveChart::Private::readout() const {
    const std::optional<double> x = q.group_->crosshair_;
    const AxisRange range = q.group_->xRange();
    if (!x || *x < range.first || *x > range.last || q.pointCount() == 0) return std::nullopt;
    CurveValues values = valuesAt(*x);
    Readout result;
    result.x = (*x - range.first) / (range.last - range.first);
    result.headline = headlineAt(*x, values.nearestStep);
    if (!smoothed.empty())
        result.headline = (values.areSmoothed ? LiveChart::tr("%1 · smoothed")
                                              : LiveChart::tr("%1 · as reported"))
                              .arg(result.headline);
    result.notes = notesAt(*x);
    if (const std::optional<AxisMark> mark = pointedMark()) result.notes << mark->click;
    if (values.replicas.size() > std::size_t(kMostNamed)) {
        addSummary(result, values);
        return result;
    }
    std::vector<CurveValue>& all = values.replicas;
    all.insert(all.end(), values.above.begin(), values.above.end());
    std::stable_sort(all.begin(), all.end(), isHigher);
    for (const CurveValue& each : all)
        addRow(result, each, nameOf(each, values.nearestStep));
    return result;
}

}  // namespace lockstep::ui
