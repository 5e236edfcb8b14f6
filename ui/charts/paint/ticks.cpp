// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/ticks.h"

#include <QDateTime>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "ui/style/language.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

constexpr double kDay = 86'400;
constexpr int kMost = 64;  // against ranges that floating point cannot divide

template <typename Label>
QVector<Tick> multiples(AxisRange range, double interval, Label label) {
    QVector<Tick> ticks;
    const double slack = std::min(interval, range.last - range.first) * 1e-6;
    const double first = std::ceil((range.first - slack) / interval);
    for (int i = 0; i < kMost; ++i) {
        const double position = (first + i) * interval;
        if (!(position <= range.last + slack)) break;
        const QString text = label(position);
        if (ticks.isEmpty() || ticks.last().label != text) ticks.append({position, text});
    }
    return ticks;
}

/// A range that begins beside a round number may hold a tick less than wanted, or none at all.
double intervalWithTwoTicks(AxisRange range, int wanted) {
    double interval = 0;
    for (int more = wanted; more <= 2 * wanted + 2; ++more) {
        interval = roundInterval(range.last - range.first, more);
        if (std::floor(range.last / interval) - std::ceil(range.first / interval) >= 1) break;
    }
    return interval;
}

QString decimalLabel(double value, double interval) {
    const int decimals = std::max(0, int(std::ceil(-std::log10(interval) - 1e-9)));
    if (std::abs(value) < interval * 1e-6) value = 0;
    if (decimals > 5) return QString::number(value, 'g', 4);
    // Four digits must be enough to tell neighbours apart.
    if (std::abs(value) >= 10'000 * interval && interval >= 1)
        return units::count(std::llround(value));
    if (interval >= 1000) return units::compact(value);
    return QString::number(value, 'f', decimals);
}

QString timeLabel(double seconds, double interval) {
    if (std::abs(seconds) < interval * 1e-6) return QStringLiteral("0");
    if (interval < 1) return decimalLabel(seconds, interval) + QStringLiteral(" s");
    const qint64 whole = std::llround(seconds);
    const auto two = [](qint64 part) {
        return QString::number(part).rightJustified(2, QLatin1Char('0'));
    };
    if (whole < 60) return QString::number(whole) + QStringLiteral(" s");
    if (interval < 60) return QString::number(whole / 60) + QLatin1Char(':') + two(whole % 60);
    if (whole < 3600) return QString::number(whole / 60) + QStringLiteral(" min");
    if (interval < 3600) {
        return QString::number(whole / 3600) + QLatin1Char(':') + two(whole / 60 % 60) +
               QStringLiteral(" h");
    }
    if (whole < 86'400 || interval < 86'400) {
        return QString::number(whole / 3600) + QStringLiteral(" h");
    }
    return QString::number(whole / 86'400) + QStringLiteral(" d");
}

}  // namespace

double roundInterval(double span, int wanted) {
    const double rough = span / std::max(1, wanted);
    if (!(rough > 0) || !std::isfinite(rough)) return 1;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (rough <= factor * power * 1.0001) return factor * power;
    }
    return 10 * power;
}

QVector<Tick> linearTicks(AxisRange range, int wanted) {
    const double interval = intervalWithTwoTicks(range, wanted);
    return multiples(range, interval,
                     [interval](double value) { return decimalLabel(value, interval); });
}

namespace {

constexpr int kLeastShares = 3;
constexpr int kMostShares = 6;

/// 1, 2, 2.5 or 5 times a power of ten: quarters are round percentages, too, down to 0.25 %, which
/// a label can still name.
double roundShare(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
        if (factor == 2.5 && power < 0.9e-3) continue;
        if (least <= factor * power * 1.0001) return factor * power;
    }
    return 10 * power;
}

}  // namespace

QVector<Tick> shareTicks(AxisRange range, double gap, double least) {
    if (!(least > 0) || !std::isfinite(gap)) return linearTicks(range, kLeastShares);
    QVector<Tick> chosen;
    for (double interval = roundShare(least);; interval = roundShare(interval * 1.01)) {
        const QVector<Tick> ticks = multiples(range, interval, units::shortPercent);
        if (ticks.size() < kLeastShares && !chosen.isEmpty()) return chosen;
        if (ticks.size() <= kMostShares) chosen = ticks;
        if (ticks.size() <= kMostShares && interval >= gap) return chosen;
    }
}

QVector<Tick> stepTicks(AxisRange range, int wanted) {
    const double interval = std::max(1.0, intervalWithTwoTicks(range, wanted));
    return multiples(range, interval, [interval](double value) {
        return interval >= 1000 && value < 10'000 * interval ? units::compact(value)
                                                             : units::count(std::llround(value));
    });
}

namespace {

/// Round seconds, minutes, hours or days.
double timeInterval(AxisRange range, int wanted) {
    static constexpr std::array<double, 18> kRound{1,    2,    5,      10,     15,     30,
                                                   60,   120,  300,    600,    900,    1800,
                                                   3600, 7200, 10'800, 21'600, 43'200, kDay};
    const double rough = (range.last - range.first) / std::max(1, wanted);
    if (rough > kDay) return kDay * roundInterval(rough / kDay, 1);
    if (rough > 0.5) return *std::lower_bound(kRound.begin(), kRound.end() - 1, rough);
    return roundInterval(range.last - range.first, wanted);
}

QString clockLabel(double wallTime, double interval, bool hasDates) {
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(std::llround(wallTime * 1e3));
    const QString date = spokenLocale().toString(time, QStringLiteral("d MMM"));
    if (interval >= kDay) return date;
    const QString clock = time.toString(interval >= 60  ? QStringLiteral("HH:mm")
                                        : interval >= 1 ? QStringLiteral("HH:mm:ss")
                                                        : QStringLiteral("HH:mm:ss.zzz"));
    return hasDates ? date + QLatin1Char(' ') + clock : clock;
}

}  // namespace

QVector<Tick> clockTicks(AxisRange range, double origin, int wanted) {
    const double interval = timeInterval(range, wanted);
    const QDateTime begin =
        QDateTime::fromMSecsSinceEpoch(std::llround((origin + range.first) * 1e3));
    const QDateTime end = QDateTime::fromMSecsSinceEpoch(std::llround((origin + range.last) * 1e3));
    const double local = origin + begin.offsetFromUtc();  // what is round there is round here
    QVector<Tick> ticks =
        multiples({range.first + local, range.last + local}, interval, [&](double time) {
            return clockLabel(time - begin.offsetFromUtc(), interval, begin.date() != end.date());
        });
    for (Tick& tick : ticks)
        tick.position -= local;
    return ticks;
}

QVector<Tick> timeTicks(AxisRange range, int wanted) {
    const double interval = timeInterval(range, wanted);
    return multiples(range, interval,
                     [interval](double value) { return timeLabel(value, interval); });
}

namespace {

/// The factors of a decade that leave each tick at least `gap` decades; none: not even each power.
std::span<const int> factorsFor(double gap) {
    static constexpr std::array<int, 9> kAll{1, 2, 3, 4, 5, 6, 7, 8, 9};
    static constexpr std::array<int, 4> kSome{1, 2, 3, 5};
    static constexpr std::array<int, 3> kRound{1, 2, 5};
    static constexpr std::array<int, 2> kHalves{1, 3};
    static constexpr std::array<int, 1> kPowers{1};
    if (gap <= std::log10(10.0 / 9)) return kAll;
    if (gap <= std::log10(1.5)) return kSome;
    if (gap <= std::log10(2)) return kRound;
    if (gap <= std::log10(3)) return kHalves;
    return kPowers;
}

template <typename Take>
void forEachInDecades(AxisRange range, std::span<const int> factors, Take take) {
    for (int power = int(std::floor(range.first)); power <= range.last + 1e-9; ++power) {
        for (const int factor : factors) {
            const double position = power + std::log10(factor);
            if (position < range.first - 1e-9 || position > range.last + 1e-9) continue;
            take(power, factor, position);
        }
    }
}

constexpr double kLinearDecades = 0.7;  // of fewer decades linear ticks are the rounder ones
constexpr int kLeastLabelled = 3;       // fewer do not tell that an axis is logarithmic

QVector<Tick> decadeTicks(AxisRange range, double gap) {
    const int every = std::max(1, int(std::ceil(gap - 1e-9)));
    QVector<Tick> ticks;
    forEachInDecades(range, factorsFor(gap), [&](int power, int factor, double position) {
        if (((power % every) + every) % every != 0) return;
        ticks.append({position, units::compact(factor * std::pow(10, power))});
    });
    return ticks;
}

/// Decades from one labelled tick to the next: about `wanted` of them, and never too few.
double gapFor(AxisRange range, int wanted) {
    double gap = 0;
    for (int more = std::max(1, wanted); more <= 2 * kMost; ++more) {
        gap = (range.last - range.first) / more;
        if (decadeTicks(range, gap).size() >= kLeastLabelled) break;
    }
    return gap;
}

}  // namespace

QVector<Tick> logTicks(AxisRange range, int wanted) {
    const double decades = range.last - range.first;
    if (decades < kLinearDecades) {
        const AxisRange values{std::pow(10, range.first), std::pow(10, range.last)};
        QVector<Tick> ticks = linearTicks(values, wanted);
        for (int more = wanted + 1; ticks.size() < kLeastLabelled && more <= kMost; ++more)
            ticks = linearTicks(values, more);
        for (Tick& tick : ticks)
            tick.position = std::log10(tick.position);
        return ticks;
    }
    return decadeTicks(range, gapFor(range, wanted));
}

QVector<double> minorLogTicks(AxisRange range, int wanted) {
    QVector<double> ticks;
    const double decades = range.last - range.first;
    if (decades < kLinearDecades || decades > 2 * wanted) return ticks;
    const std::span<const int> named = factorsFor(gapFor(range, wanted));
    forEachInDecades(range, factorsFor(0), [&](int, int factor, double position) {
        if (std::find(named.begin(), named.end(), factor) == named.end()) ticks.append(position);
    });
    return ticks;
}

}  // namespace lockstep::ui
