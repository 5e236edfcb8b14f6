// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/job/fold/session.h"

namespace lockstep::ui {

class ElidedLabel;
class FigureLabel;

/// The foot of the window: the verdict as a sentence, replicas alive of all, samples a second,
/// and the connection.
class StatusLine final : public QWidget {
    Q_OBJECT
public:
    explicit StatusLine(QWidget* parent = nullptr);

    /// Null: no run; `idle` is said then.
    void showView(const job::RunView* view, const QString& idle);

private:
    ElidedLabel* verdict_ = nullptr;
    FigureLabel* alive_ = nullptr;
    FigureLabel* rate_ = nullptr;
    ElidedLabel* connection_ = nullptr;
};

}  // namespace lockstep::ui
