// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/job/fold/session.h"
#include "ui/widgets/card.h"

class QToolButton;

namespace lockstep::ui {

class HeartbeatChart;
class PhaseLegend;
class StepTimeline;

/// The lanes of the processes: their heartbeats or each of their steps, one at a time. They can be
/// folded, and have the whole page.
class LaneCard final : public Card {
    Q_OBJECT
public:
    explicit LaneCard(QWidget* page);

    [[nodiscard]] HeartbeatChart& heartbeats() const { return *heartbeats_; }
    [[nodiscard]] StepTimeline& steps() const { return *steps_; }
    [[nodiscard]] bool isMaximized() const { return isMaximized_; }
    /// Whether the lanes that are shown show the present.
    [[nodiscard]] bool isFollowing() const;
    void follow();
    /// Folded, or with the whole page, as that one is.
    void lookLike(const LaneCard& other);

Q_SIGNALS:
    void followChanged();
    void maximizedChanged();

private:
    QToolButton* makeButton(const char* name);
    void maximize(bool on);
    void matchLanes();
    void showLegend();

    HeartbeatChart* heartbeats_;
    StepTimeline* steps_;  ///< In the place of the heartbeats, where it is wanted.
    PhaseLegend* legend_;
    QToolButton* fold_;
    QToolButton* maximize_;
    bool isFolded_ = false;
    bool isMaximized_ = false;
};

}  // namespace lockstep::ui
