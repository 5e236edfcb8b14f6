// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

/// Numbers as they are shown: rounded to what can be read, with thin spaces between number and
/// unit and in long numbers. Values that are not finite are shown as "NaN" or "∞".
namespace lockstep::ui::units {

[[nodiscard]] QString bytes(double bytes);         ///< "1.4 GiB"
[[nodiscard]] QString rate(double perSecond);      ///< "12.3 k/s"
[[nodiscard]] QString thousands(double value);     ///< "12.3 k": as the rate, of a named unit.
[[nodiscard]] QString duration(double seconds);    ///< "1 h 02 m", "3 m 05 s", "12 s", "0.42 s"
[[nodiscard]] QString milliseconds(double value);  ///< "0.83 ms", "12.4 ms", "1.20 s"
[[nodiscard]] QString count(qint64 value);         ///< "12 300", grouped in threes.
[[nodiscard]] QString percent(double fraction, int decimals = 1);  ///< "97.3 %"
[[nodiscard]] QString shortPercent(double fraction);               ///< "98 %", "98.25 %": for axes.
[[nodiscard]] QString number(double value, int significant = 4);   ///< "0.1234", "1.2e-07"
[[nodiscard]] QString amount(double value);   ///< "0.1234", "36 943": whole and grouped if large.
[[nodiscard]] QString compact(double value);  ///< "12.3 k", "4 M", "0.25": for axes.

/// Local times; empty for none, which is 0.
[[nodiscard]] QString timeOfDay(double wallTime);       ///< "14:05:12"
[[nodiscard]] QString exactTimeOfDay(double wallTime);  ///< "14:05:12.345"
[[nodiscard]] QString dateAndTime(double wallTime);     ///< "2026-11-20  14:05:12"

}  // namespace lockstep::ui::units
