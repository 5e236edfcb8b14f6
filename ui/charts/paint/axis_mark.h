// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

namespace lockstep::ui {

/// Something that happened at a step, marked on the axis of all charts and told by the crosshair.
struct AxisMark {
    enum class Kind { Epoch, Checkpoint, Restart, Loss, Verdict, Best, Chosen, Count };
    qint64 step = 0;
    Kind kind = Kind::Epoch;
    QString words;
    std::optional<double> value{};  ///< Given: a ring around that value.
    double wallTime = 0;            ///< When, in seconds since 1970; 0: when its step ended.
    QString click{};                ///< What a click on it does, in words; empty: nothing.
    bool operator==(const AxisMark&) const = default;
};

}  // namespace lockstep::ui
