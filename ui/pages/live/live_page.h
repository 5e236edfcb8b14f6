// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>

#include "core/job/fold/session.h"
#include "ui/charts/paint/axis_mark.h"
#include "ui/pages/live/live_feed.h"

class QComboBox;
class QLabel;
class QVBoxLayout;
class QPushButton;
class QScrollArea;

namespace lockstep::ui {

class ChartCard;
class ChartGrid;
class ChartGroup;
class EmptyState;
class FigureShelf;
class LaneCard;
class LiveChart;
class ReportHint;
class ScalarFeed;

/// Loss, accuracy, throughput, step time and every named figure of every replica as they come,
/// under one strip of controls, and the heartbeats, or each step, beneath. What does not fit is
/// scrolled to, not squeezed.
class LivePage final : public QWidget {
    Q_OBJECT
public:
    explicit LivePage(QWidget* parent = nullptr);

    void reset();
    /// What the user has chosen there is chosen here, too: how the lanes are shown.
    void lookLike(const LivePage& other);
    void showView(const job::RunView& view);
    void addSteps(const std::vector<job::StepColumns>& steps);
    void addScalars(const std::vector<job::ScalarColumns>& scalars);
    void addHeartbeats(const std::vector<job::HeartbeatMark>& marks);
    void addLoads(const std::vector<job::LoadMark>& marks);

    /// Puts the charts' crosshair at a time, in seconds since 1970. False: nothing has times yet.
    bool showMoment(double wallTime);
    [[nodiscard]] LiveChart& chart(LiveFeed::Figure figure) const;
    /// Whether there are named figures to be searched; then their search takes the keyboard.
    bool focusSearch();

Q_SIGNALS:
    /// A click on a mark of a chart; it has a time where any is known.
    void markChosen(const lockstep::ui::AxisMark& mark);

private:
    void buildCharts();
    QWidget* buildControls();
    QComboBox* buildNewest(QWidget* parent);
    void buildLayout();
    void matchCards();
    void matchFollow();
    void showEmptyTexts(const job::RunView& view);
    void choose(AxisMark mark);

    ChartGroup* group_;
    std::array<ChartCard*, LiveFeed::FigureCount> cards_{};
    ChartGrid* grid_ = nullptr;
    FigureShelf* figures_ = nullptr;  ///< Of named figures, beneath the heartbeats.
    ReportHint* hint_ = nullptr;
    QLabel* leftOut_ = nullptr;
    ScalarFeed* scalars_ = nullptr;
    bool isProgram_ = false;
    LaneCard* lanes_ = nullptr;
    QPushButton* follow_ = nullptr;
    EmptyState* empty_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QVBoxLayout* content_ = nullptr;  ///< Of what is scrolled.
    LiveFeed* feed_ = nullptr;
};

}  // namespace lockstep::ui
