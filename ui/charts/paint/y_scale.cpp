// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/y_scale.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ui/charts/paint/ticks.h"

namespace lockstep::ui {

namespace {

// Stretches of a series that are looked at for outliers, and of all series together about.
constexpr qint64 kMostSamples = 128;
constexpr qint64 kAllSamples = 2'048;
constexpr double kCommonShare = 0.97;
constexpr double kFarBeyond = 12;      // times the common height
constexpr double kFarBelow = 4;        // likewise, of shares
constexpr qint64 kUsualSamples = 512;  // of a series, and of all of them about
constexpr qint64 kAllUsualSamples = 8'192;
constexpr qint64 kLeastForUsual = 8;  // of fewer values none is an outlier
constexpr double kUsualShare = 0.98;
constexpr double kShareBehind = 0.995;
constexpr double kUsualAir = 1.25;

/// How many samples of each series, so that many series take no longer than a few.
qint64 shareOf(qint64 all, qint64 most, std::size_t series) {
    return std::clamp<qint64>(all / qint64(std::max<std::size_t>(1, series)), 16, most);
}

struct Height {
    double low = 0;
    double high = 0;
    double commonHigh = 0;  ///< 97 % of the stretches stay below,
    double commonLow = 0;   ///< and 97 % above.
    double leastPositive = 0;
    bool any = false;
};

/// Shows each stretch that holds values to `look`, with the number of its series.
template <typename Look>
void lookAt(const std::vector<YScaleInput::Curve>& curves, Look look) {
    std::vector<qint64> edges;
    std::vector<Stretch> parts;
    const qint64 share = shareOf(kAllSamples, kMostSamples, curves.size());
    for (std::size_t series = 0; series < curves.size(); ++series) {
        const YScaleInput::Curve& curve = curves[series];
        const qint64 count = curve.last - curve.first;
        const qint64 pieces = std::min(share, count);
        if (pieces <= 0) continue;
        edges.clear();
        for (qint64 i = 0; i <= pieces; ++i)
            edges.push_back(curve.first + count * i / pieces);
        parts.resize(std::size_t(pieces));
        curve.values.stretches(edges, parts);
        for (const Stretch& part : parts)
            if (!part.bounds.isEmpty()) look(series, part.bounds);
    }
}

Height measure(const std::vector<YScaleInput::Curve>& curves) {
    Height height;
    std::vector<double> highs;
    std::vector<double> lows;
    MinMax all = MinMax::none();
    lookAt(curves, [&](std::size_t, const MinMax& part) {
        all.add(part);
        highs.push_back(double(part.max));
        lows.push_back(double(part.min));
        if (part.max <= 0) return;
        const double positive = part.min > 0 ? double(part.min) : double(part.max);
        height.leastPositive =
            height.leastPositive > 0 ? std::min(height.leastPositive, positive) : positive;
    });
    if (all.isEmpty()) return height;
    const auto common = std::ptrdiff_t(double(highs.size() - 1) * kCommonShare);
    std::ranges::nth_element(highs, highs.begin() + common);
    std::ranges::nth_element(lows, lows.begin() + common, std::ranges::greater());
    height.any = true;
    height.low = double(all.min);
    height.high = double(all.max);
    height.commonHigh = highs[std::size_t(common)];
    height.commonLow = lows[std::size_t(common)];
    return height;
}

/// What nearly all values of each series stay below, or above: single values, not the largest of
/// stretches, since a spike in every stretch is still rare.
template <typename Order>
double usualBound(const std::vector<YScaleInput::Curve>& curves, double usualShare, Order before) {
    double usual = std::numeric_limits<double>::infinity();
    if (before(-usual, usual)) usual = -usual;
    const qint64 share = shareOf(kAllUsualSamples, kUsualSamples, curves.size());
    for (const YScaleInput::Curve& curve : curves) {
        const qint64 count = curve.last - curve.first;
        const qint64 samples = std::min(share, count);
        std::vector<double> values;
        for (qint64 i = 0; i < samples; ++i) {
            const double value = double(curve.values.at(curve.first + count * i / samples));
            if (std::isfinite(value)) values.push_back(value);
        }
        if (values.empty()) continue;
        const double common = qint64(values.size()) < kLeastForUsual ? 1 : usualShare;
        const auto place = values.begin() + std::ptrdiff_t(double(values.size() - 1) * common);
        std::ranges::nth_element(values, place, before);
        usual = std::max(usual, *place, before);
    }
    return usual;
}

double usualHigh(const std::vector<YScaleInput::Curve>& curves, double usualShare) {
    return usualBound(curves, usualShare, std::less());
}

/// The lowest that there is from each series' first stretch above `low` on, and of all of a series
/// that stays below.
double lowestOnceAbove(const std::vector<YScaleInput::Curve>& curves, double low) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::vector<double> lowest(curves.size(), kFar);
    std::vector<bool> isAbove(curves.size(), false);
    lookAt(curves, [&](std::size_t series, const MinMax& part) {
        const bool rises = !isAbove[series] && double(part.min) >= low;
        lowest[series] = rises ? double(part.min) : std::min(lowest[series], double(part.min));
        isAbove[series] = isAbove[series] || rises;
    });
    return lowest.empty() ? kFar : *std::ranges::min_element(lowest);
}

/// Where the axis begins, which is not always low enough for all values: shares begin low and stay
/// high, and what was learnt in the first steps must not flatten what comes of it. What falls
/// later, or never rose, is shown.
double lowestShown(const YScaleInput& input, const Height& height) {
    double low = height.low;
    const double common = height.high - height.commonLow;
    bool isCut =
        input.ceiling && !input.low && common > 0 && height.high - height.low > kFarBelow * common;
    if (isCut) {
        const double cut = height.commonLow - common / 2;
        const double later = lowestOnceAbove(input.curves, cut);
        isCut = later >= cut - common / 2;  // a little below it is noise of the rise
        if (isCut) low = std::max(low, std::min(cut, later));
    }
    if (input.behind.empty()) return low;
    return std::min(low, isCut ? usualBound(input.behind, kCommonShare, std::greater())
                               : measure(input.behind).low);
}

AxisRange logRange(const Height& height) {
    if (!(height.leastPositive > 0)) return {-1, 1};
    const double first = std::log10(height.leastPositive);
    const double last = std::log10(height.high);
    const double air = std::max(0.05, (last - first) * 0.05);
    return {first - air, last + air};
}

}  // namespace

AxisRange automaticYRange(const YScaleInput& input) {
    Height height = measure(input.curves);
    if (input.logarithmic) return logRange(height);
    if (!height.any) {
        const double low = input.low.value_or(0);
        return {low, std::max(low + 1, input.ceiling.value_or(1))};
    }
    const double common = height.commonHigh - height.low;
    if (common > 0 && height.high - height.low > kFarBeyond * common) {
        height.high = height.low + common * 1.5;
    }
    if (input.ignoreOutliers) {
        const double usual = usualHigh(input.curves, kUsualShare);
        height.high = std::min(height.high, height.low + (usual - height.low) * kUsualAir);
    }
    height.low = lowestShown(input, height);
    if (!input.behind.empty())
        height.high = std::max(height.high, usualHigh(input.behind, kShareBehind));
    const double lowest = std::min(height.low, input.low.value_or(height.low));
    const double highest = height.high;
    double span = highest - lowest;
    if (!(span > 0)) span = highest != 0 ? std::abs(highest) * 0.2 : 1;
    // Half a tick as the grain keeps the axis still while the newest values wander a little.
    const double grain = roundInterval(span, 5) / 2;
    const bool lowIsBound = input.low && lowest >= *input.low;
    double first = std::floor((lowest - span * 0.03) / grain) * grain;
    double last = std::ceil((highest + span * 0.03) / grain) * grain;
    if (lowIsBound) first = *input.low;
    // What cannot be negative gets no room below zero.
    else if (lowest >= 0)
        first = std::max(first, 0.0);
    if (input.ceiling && highest <= *input.ceiling) last = std::min(last, *input.ceiling);
    return {first, last};
}

}  // namespace lockstep::ui
