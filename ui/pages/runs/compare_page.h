// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>

#include "ui/bridge/run_comparison.h"
#include "ui/pages/runs/compare_feed.h"

class QCheckBox;
class QPushButton;
class QTableView;

namespace lockstep::ui {

class ChartCard;
class ChartGrid;
class ChartGroup;
class ComparedRunsModel;
class ElidedLabel;
class RunsModel;

/// Several runs beside each other: what became of each and what differs in their jobs, a row each,
/// which is also the legend of the charts below.
class ComparePage final : public QWidget {
    Q_OBJECT
public:
    explicit ComparePage(const JobServices& services, QWidget* parent = nullptr);
    ~ComparePage() override;

    void compare(std::vector<job::RunEntry> runs);
    void clear();
    [[nodiscard]] bool isReading() const { return reading_.isReading(); }

Q_SIGNALS:
    void closeRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildCharts();
    void buildTable();
    QWidget* buildBar();
    void buildLayout();
    void showSettings();
    void fitTable();
    void matchCards();
    void showProgress();

    RunComparison reading_;
    RunsModel* runs_;
    ComparedRunsModel* compared_ = nullptr;
    ChartGroup* group_;
    std::array<ChartCard*, CompareFeed::FigureCount> cards_{};
    ChartGrid* grid_ = nullptr;
    CompareFeed* feed_ = nullptr;
    QTableView* table_ = nullptr;
    QCheckBox* all_ = nullptr;
    QPushButton* follow_ = nullptr;
    ElidedLabel* title_ = nullptr;
};

}  // namespace lockstep::ui
