// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <functional>

namespace lockstep::ui {

/// What the calling thread has computed so far.
[[nodiscard]] double threadProcessorSeconds();

/// The beat of the window: what grows by itself is shown on it, all at once, and the window is
/// painted once for all of it. Watching a training takes processors from it, so beats are
/// kLeastMilliseconds apart, or as many times that, up to kMostTimes, as keep what the window
/// computes between them below kShare of one processor. UI thread only.
class WindowBeat {
public:
    static constexpr qint64 kLeastMilliseconds = 200;
    static constexpr int kMostTimes = 5;
    static constexpr double kShare = 0.02;

    struct Clocks {
        std::function<qint64()> milliseconds;      ///< Monotonic.
        std::function<double()> processorSeconds;  ///< What the calling thread has used.
    };
    explicit WindowBeat(Clocks clocks);

    /// The one on which all parts of the window go.
    [[nodiscard]] static WindowBeat& shared();

    /// Milliseconds between two beats.
    [[nodiscard]] qint64 interval() const { return times_ * kLeastMilliseconds; }
    /// Milliseconds until the next beat, at least 1.
    [[nodiscard]] int untilNext();
    /// Milliseconds until what was shown `age` milliseconds ago is to be shown again: 0, or those
    /// until the next beat if it has been shown since the last one.
    [[nodiscard]] int untilAgain(qint64 age);
    /// Other threads computed this long for what is shown.
    void add(double processorSeconds) { elsewhereSeconds_ += processorSeconds; }

private:
    void account(qint64 now);

    Clocks clocks_;
    int times_ = 1;
    qint64 accountedAt_;
    double accountedSeconds_;
    double elsewhereSeconds_ = 0;
    double costSeconds_ = 0;  // of a beat, smoothed
};

}  // namespace lockstep::ui
