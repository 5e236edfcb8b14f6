// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "core/base/result.h"
#include "ui/bridge/background_task.h"

class QAction;
class QWidget;

namespace lockstep::ui {

class NoticeBar;

/// Hands a run over as one page of HTML: asks where it is to lie, writes it beside the window's
/// work, and says in a notice what became of it.
class ShareRun final : public QObject {
    Q_OBJECT
public:
    /// `action`: what begins it; it is off while a page is written.
    ShareRun(QAction* action, NoticeBar* notice, QWidget* parent);

    /// Of the run in a folder; empty or while one is written: none.
    void setFolder(const QString& folder);
    /// Without asking.
    void writeTo(const QString& file);

private:
    void ask();
    void showWritten(const QString& file, const Result<void>& written);
    void showState();

    QAction* action_;
    NoticeBar* notice_;
    QWidget* parent_;
    QString folder_;
    BackgroundTask writing_;
};

}  // namespace lockstep::ui
