// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/job/fold/session.h"

class QToolButton;

namespace lockstep::ui {

class PhaseLegend;
class TimelineChart;

/// Turns what a run says of its steps into lanes of a timeline, which stands where the heartbeats
/// are while the user wants it. Until then the newest steps wait as they came: placing all of a
/// long run's would cost seconds that nobody asked for.
class StepTimeline final : public QObject {
    Q_OBJECT
public:
    /// The widgets are `place`'s, which puts them where they belong.
    explicit StepTimeline(QWidget* place);

    [[nodiscard]] QToolButton* toggle() const { return toggle_; }
    [[nodiscard]] PhaseLegend* legend() const { return legend_; }
    [[nodiscard]] TimelineChart* chart() const { return chart_; }
    /// Whether the steps are shown instead of the heartbeats.
    [[nodiscard]] bool isWanted() const;

    void reset();
    void showView(const job::RunView& view);
    void addSteps(const std::vector<job::StepColumns>& steps);
    void addLoads(const std::vector<job::LoadMark>& marks);

Q_SIGNALS:
    void wantedChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What waits of a replica, in pieces of some steps.
    struct Waiting {
        std::deque<job::StepColumns> pieces;
        std::size_t count = 0;
    };
    void buildToggle(QWidget* place);
    void matchLanes(const job::RunView& view);
    void showMarks(const job::RunView& view);
    [[nodiscard]] int sourceOf(const std::string& name);
    void wait(const job::StepColumns& columns);
    [[nodiscard]] std::size_t mostWaiting() const;
    void dropOldest(Waiting& waiting) const;
    void placeWaiting();
    void place(int lane, const job::StepColumns& columns);

    struct Lane {
        int processId = 0;
        int replica = 0;
        bool operator==(const Lane&) const = default;
    };

    QToolButton* toggle_;
    PhaseLegend* legend_;
    TimelineChart* chart_;
    std::vector<Lane> lanes_;
    std::map<int, Waiting> waiting_;      ///< By replica.
    std::map<std::string, int> sources_;  ///< Of loads: processes and GPUs by name.
    QTimer placing_;                      ///< What is left of them.
};

}  // namespace lockstep::ui
