// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/units.h"

#include <QChar>
#include <QDateTime>
#include <QLocale>
#include <array>
#include <cmath>

namespace lockstep::ui::units {

namespace {

// Narrow no-break space: thin, and a number never parts from its unit at a line's end.
constexpr QChar kThin(0x202f);

/// A special value's name, else empty.
QString special(double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    return {};
}

/// Three significant digits: 1.23, 12.3, 123.
QString threeDigits(double value) {
    const double size = std::abs(value);
    const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return QString::number(value, 'f', decimals);
}

QString scaled(double value, double base, const std::array<const char*, 5>& prefixes) {
    std::size_t power = 0;
    while (std::abs(value) >= base * 0.9995 && power + 1 < prefixes.size()) {
        value /= base;
        ++power;
    }
    const bool whole = power == 0 && value == std::floor(value);
    return (whole ? QString::number(value, 'f', 0) : threeDigits(value)) + kThin +
           QString::fromLatin1(prefixes[power]);
}

QString trimmedZeros(QString text) {
    if (!text.contains(QLatin1Char('.'))) return text;
    while (text.endsWith(QLatin1Char('0')))
        text.chop(1);
    if (text.endsWith(QLatin1Char('.'))) text.chop(1);
    return text;
}

QString localTime(double wallTime, const QString& format) {
    if (wallTime <= 0) return {};
    return QDateTime::fromMSecsSinceEpoch(qint64(wallTime * 1000)).toString(format);
}

}  // namespace

QString bytes(double bytes) {
    if (const QString name = special(bytes); !name.isEmpty()) return name;
    return scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

QString rate(double perSecond) {
    if (const QString name = special(perSecond); !name.isEmpty()) return name;
    return scaled(perSecond, 1000, {"", "k", "M", "G", "T"}) + QStringLiteral("/s");
}

QString thousands(double value) {
    if (const QString name = special(value); !name.isEmpty()) return name;
    QString text = scaled(value, 1000, {"", "k", "M", "G", "T"});
    if (text.endsWith(kThin)) text.chop(1);  // there is no prefix
    return text;
}

QString duration(double seconds) {
    if (const QString name = special(seconds); !name.isEmpty()) return name;
    if (seconds < 0) return QStringLiteral("−") + duration(-seconds);
    if (seconds < 9.95) return threeDigits(seconds) + kThin + QStringLiteral("s");
    const qint64 whole = std::llround(std::min(seconds, 1e15));
    const auto padded = [](qint64 part) {
        return QString::number(part).rightJustified(2, QLatin1Char('0'));
    };
    const auto pair = [&](qint64 large, const QString& largeUnit, qint64 small,
                          const QString& smallUnit) -> QString {
        return QString::number(large) + kThin + largeUnit + kThin + padded(small) + kThin +
               smallUnit;
    };
    if (whole < 60) return QString::number(whole) + kThin + QStringLiteral("s");
    if (whole < 3600) return pair(whole / 60, QStringLiteral("m"), whole % 60, QStringLiteral("s"));
    if (whole < 86400) {
        return pair(whole / 3600, QStringLiteral("h"), whole / 60 % 60, QStringLiteral("m"));
    }
    return pair(whole / 86400, QStringLiteral("d"), whole / 3600 % 24, QStringLiteral("h"));
}

QString milliseconds(double value) {
    if (const QString name = special(value); !name.isEmpty()) return name;
    if (std::abs(value) < 1000) return threeDigits(value) + kThin + QStringLiteral("ms");
    if (std::abs(value) < 60'000) return threeDigits(value / 1000) + kThin + QStringLiteral("s");
    return duration(value / 1000);
}

QString count(qint64 value) {
    QString digits = QString::number(value);
    const qsizetype sign = value < 0 ? 1 : 0;
    for (qsizetype at = digits.size() - 3; at > sign; at -= 3)
        digits.insert(at, kThin);
    return digits;
}

QString percent(double fraction, int decimals) {
    if (const QString name = special(fraction); !name.isEmpty()) return name;
    return QString::number(fraction * 100, 'f', decimals) + kThin + QStringLiteral("%");
}

QString shortPercent(double fraction) {
    const double hundredths = std::round(fraction * 1e4);
    const int decimals = std::fmod(hundredths, 100) == 0  ? 0
                         : std::fmod(hundredths, 10) == 0 ? 1
                                                          : 2;
    return percent(fraction, decimals);
}

QString number(double value, int significant) {
    if (const QString name = special(value); !name.isEmpty()) return name;
    if (value == 0) return QStringLiteral("0");
    const int magnitude = int(std::floor(std::log10(std::abs(value))));
    if (magnitude < -4 || magnitude > 6) return QString::number(value, 'e', 2);
    return QString::number(value, 'f', std::max(0, significant - 1 - std::max(magnitude, -1)));
}

QString amount(double value) {
    constexpr double kLarge = 1000;  // from it on fractions say nothing
    constexpr double kCountable = 1e15;
    const double size = std::abs(value);
    return size >= kLarge && size < kCountable ? count(std::llround(value)) : number(value);
}

QString compact(double value) {
    if (const QString name = special(value); !name.isEmpty()) return name;
    const double size = std::abs(value);
    if (size == 0) return QStringLiteral("0");
    if (size < 1e-4) return QString::number(value, 'g', 3);
    if (size < 1000) return QString::number(value, 'g', 4);
    static constexpr std::array<const char*, 4> kPrefixes{"k", "M", "G", "T"};
    std::size_t power = 0;
    value /= 1000;
    while (std::abs(value) >= 999.95 && power + 1 < kPrefixes.size()) {
        value /= 1000;
        ++power;
    }
    const int decimals = std::abs(value) < 10 ? 3 : std::abs(value) < 100 ? 2 : 1;
    return trimmedZeros(QString::number(value, 'f', decimals)) + kThin +
           QString::fromLatin1(kPrefixes[power]);
}

QString timeOfDay(double wallTime) {
    return localTime(wallTime, QStringLiteral("HH:mm:ss"));
}

QString exactTimeOfDay(double wallTime) {
    return localTime(wallTime, QStringLiteral("HH:mm:ss.zzz"));
}

QString dateAndTime(double wallTime) {
    return localTime(wallTime, QStringLiteral("yyyy-MM-dd  HH:mm:ss"));
}

}  // namespace lockstep::ui::units
