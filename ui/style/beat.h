// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDeadlineTimer>

namespace lockstep::ui {

/// What grows by itself grows on one beat of the whole window, which is then painted once for all
/// of it: watching a training takes processors from it.
inline constexpr qint64 kBeatMilliseconds = 200;

/// Milliseconds until the next beat, at least 1.
[[nodiscard]] inline int untilNextBeat() {
    const qint64 now = QDeadlineTimer::current(Qt::PreciseTimer).deadline();
    return int(kBeatMilliseconds - now % kBeatMilliseconds);
}

/// Milliseconds until the first beat that is at least `least` away; what is due right after a beat
/// still belongs to it.
[[nodiscard]] inline int untilBeat(qint64 least) {
    constexpr qint64 kLate = 30;
    const qint64 due = QDeadlineTimer::current(Qt::PreciseTimer).deadline() + least;
    const qint64 late = due % kBeatMilliseconds;
    return int(late <= kLate ? least : least + kBeatMilliseconds - late);
}

}  // namespace lockstep::ui
