// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>

#include "core/base/result.h"
#include "core/job/report/trace_file.h"
#include "ui/bridge/background_task.h"

class QAction;
class QWidget;

namespace lockstep::ui {

class NoticeBar;

/// Hands a run over as one page of HTML, or as a timeline for Perfetto: asks where it is to lie,
/// writes it beside the window's work, and says in a notice what became of it.
class ShareRun final : public QObject {
    Q_OBJECT
public:
    /// `action`: what begins it; it is off while something is written.
    ShareRun(QAction* action, NoticeBar* notice, QWidget* parent);
    ~ShareRun() override;

    /// Of the run in a folder; empty or while one is written: none.
    void setFolder(const QString& folder);
    /// Without asking: a timeline where the name ends so (.pftrace), else a page.
    void writeTo(const QString& file);
    /// The timeline that is being written is given up; nothing of it stays.
    void giveUp();

private:
    struct Progress;

    void ask();
    [[nodiscard]] bool mayReplace(const QString& file) const;
    void writePage(const QString& file);
    void writeTimeline(const QString& file);
    void showWritten(const QString& file, const Result<void>& written);
    void showTimeline(const QString& file, const Result<job::WrittenTrace>& written);
    void showFailure(const QString& sentence, const Error& error);
    void addPlace(const QString& file);
    void showState();

    QAction* action_;
    NoticeBar* notice_;
    QWidget* parent_;
    QString folder_;
    BackgroundTask writing_;
    std::shared_ptr<Progress> progress_;  ///< Shared with the thread that writes a timeline.
    QTimer beat_;
};

}  // namespace lockstep::ui
