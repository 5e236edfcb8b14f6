// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>

#include "core/job/fold/drill_view.h"

class QButtonGroup;
class QLabel;
class QRadioButton;

namespace lockstep::ui {

/// The faults that a drill can make, one below the other, each with what it does; one that cannot
/// be here is grey, and says why instead.
class DrillChoice final : public QWidget {
    Q_OBJECT
public:
    /// Why a fault cannot be; empty: it can.
    using Refusals = std::map<job::DrillKind, QString>;

    explicit DrillChoice(QWidget* parent = nullptr);

    void setRefusals(const Refusals& refusals);
    [[nodiscard]] job::DrillKind kind() const;
    /// False: all are grey.
    [[nodiscard]] bool hasChoice() const;

Q_SIGNALS:
    void changed();

private:
    struct Row {
        QRadioButton* button = nullptr;
        QLabel* words = nullptr;
    };

    QButtonGroup* group_;
    std::map<job::DrillKind, Row> rows_;
};

}  // namespace lockstep::ui
