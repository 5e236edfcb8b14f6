// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "core/job/fold/session.h"
#include "ui/bridge/background_task.h"

class QAction;
class QWidget;

namespace lockstep::ui {

class NoticeBar;

/// Gives a run a name, tags and a note: asks for them, keeps them in its folder beside the window's
/// work, and says in a notice why that is not possible.
class DescribeRun final : public QObject {
    Q_OBJECT
public:
    /// `action`: what begins it.
    DescribeRun(QAction* action, NoticeBar* notice, QWidget* parent);

    /// Null: none.
    void setRun(const job::RunEntry* run);
    /// Without asking.
    void keep(const job::RunAbout& about);

Q_SIGNALS:
    void kept();

private:
    void ask();
    void refuse(const QString& why, const QString& remedy);

    QAction* action_;
    NoticeBar* notice_;
    QWidget* parent_;
    std::optional<job::RunEntry> run_;
    BackgroundTask writing_;
};

}  // namespace lockstep::ui
