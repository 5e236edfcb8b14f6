// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/window_beat.h"

#include <time.h>

#include <QDeadlineTimer>
#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep::ui {
namespace {

constexpr double kSmoothing = 0.15;  // weight of the newest beat
constexpr double kStepSeconds = WindowBeat::kShare * double(WindowBeat::kLeastMilliseconds) * 1e-3;
constexpr double kReluctance = 0.8;  // beats come sooner again when they cost clearly less

}  // namespace

double threadProcessorSeconds() {
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return double(spent.tv_sec) + double(spent.tv_nsec) * 1e-9;
}

WindowBeat::WindowBeat(Clocks clocks)
    : clocks_(std::move(clocks)),
      accountedAt_(clocks_.milliseconds()),
      accountedSeconds_(clocks_.processorSeconds()) {}

WindowBeat& WindowBeat::shared() {
    static WindowBeat beat({[] { return QDeadlineTimer::current(Qt::PreciseTimer).deadline(); },
                            threadProcessorSeconds});
    return beat;
}

int WindowBeat::untilNext() {
    const qint64 now = clocks_.milliseconds();
    account(now);
    return int(interval() - now % interval());
}

int WindowBeat::untilAgain(qint64 age) {
    const qint64 now = clocks_.milliseconds();
    account(now);
    const qint64 sinceBeat = now % interval();
    return age > sinceBeat ? 0 : int(interval() - sinceBeat);
}

/// What the beats since the last account cost, and how often they may come after that.
void WindowBeat::account(qint64 now) {
    const qint64 beats = now / interval() - accountedAt_ / interval();
    if (beats <= 0) return;
    const double seconds = clocks_.processorSeconds();
    const double spent = seconds - accountedSeconds_ + std::exchange(elsewhereSeconds_, 0);
    accountedAt_ = now;
    accountedSeconds_ = seconds;
    // A start of the program or of a page, once, says little about beats.
    const double cost = std::min(spent / double(beats), kStepSeconds * kMostTimes);
    costSeconds_ += kSmoothing * (cost - costSeconds_);
    const int wanted = std::clamp(int(std::ceil(costSeconds_ / kStepSeconds)), 1, kMostTimes);
    if (wanted > times_) times_ = wanted;
    if (times_ > 1 && costSeconds_ < kReluctance * kStepSeconds * (times_ - 1)) --times_;
}

}  // namespace lockstep::ui
