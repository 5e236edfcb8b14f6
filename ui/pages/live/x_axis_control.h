// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace lockstep::ui {

class ChartGroup;

/// What the x axis of a group of charts counts, and whether on a log scale; remembered for all
/// groups. What the group cannot count by cannot be chosen, and a tool tip says why.
class XAxisControl final : public QWidget {
    Q_OBJECT
public:
    /// `name` is the list's among the page's objects, `relative` says more of the relative time.
    XAxisControl(ChartGroup& group, const char* name, const QString& relative, QWidget* parent);

private:
    void apply();
    void matchEpochs();

    ChartGroup& group_;
    QComboBox* axis_;
    QToolButton* log_;
};

}  // namespace lockstep::ui
