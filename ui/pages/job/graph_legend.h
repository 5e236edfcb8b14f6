// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>

#include "core/job/handover/layer_times.h"
#include "ui/bridge/background_task.h"

class QLabel;

namespace lockstep::ui {

class GraphView;
class JobEditor;
class Network;
class SegmentedControl;

/// What the boxes of a network's picture show, and what its colours stand for: sizes; the share of
/// the operations; or the share of the time that a step takes, which is measured when it is asked
/// for.
class GraphLegend final : public QWidget {
    Q_OBJECT
public:
    using Measure = std::function<Result<job::LayerTimes>(const model::Graph& graph, int samples)>;

    GraphLegend(JobEditor& editor, Network& network, GraphView& view, QWidget* parent = nullptr);

    /// On a worker thread.
    void setMeasure(Measure measure) { measure_ = std::move(measure); }

private:
    enum Mode { Sizes, Operations, Time };

    void showMode();
    void showOperations();
    void measure();
    void say(const QString& words, bool isProblem = false);
    void forget();

    JobEditor& editor_;
    Network& network_;
    GraphView& view_;
    Measure measure_;
    BackgroundTask measuring_;
    SegmentedControl* mode_ = nullptr;
    QWidget* memory_ = nullptr;
    QWidget* work_ = nullptr;
    QWidget* share_ = nullptr;
    QLabel* words_ = nullptr;
    std::vector<std::string> measured_;  ///< Of the network: another one is to be measured anew.
};

}  // namespace lockstep::ui
