// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace lockstep::ui {

class ChartGroup;

/// How much the curves of a group of charts are smoothed; remembered for all groups.
class SmoothingControl final : public QWidget {
    Q_OBJECT
public:
    explicit SmoothingControl(ChartGroup& group, QWidget* parent = nullptr);
};

}  // namespace lockstep::ui
