// SPDX-License-Identifier: GPL-3.0-or-later
// What the page says: of runs that go to the trash and come back, before all.
#include <QDir>
#include <QFileInfo>
#include <QPushButton>
#include <utility>

#include "ui/pages/runs/describe_run.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/share_run.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {

/// A timeline is written for a while, in which runs are deleted and described, too.
void RunsPage::buildNotices() {
    notice_ = new NoticeBar(content_);
    notice_->setObjectName(QStringLiteral("runsNotice"));
    shareNotice_ = new NoticeBar(content_);
    shareNotice_->setObjectName(QStringLiteral("shareNotice"));
    share_ = new ShareRun(shareAction_, shareNotice_, this);
    describe_ = new DescribeRun(describeAction_, notice_, this);
    connect(describe_, &DescribeRun::kept, this, &RunsPage::refreshRequested);
}

void RunsPage::connectTrash() {
    connect(&trash_, &RunTrash::removed, this, &RunsPage::sayRemoved);
    connect(&trash_, &RunTrash::restored, this, &RunsPage::sayRestored);
}

void RunsPage::remove() {
    QStringList folders = chosenFolders();
    // As the list spells them.
    const QString shown = shownRun_.isEmpty() ? QString() : QDir(shownRun_).canonicalPath();
    keptOpen_ = folders.removeAll(shownRun_) + folders.removeAll(shown) > 0;
    if (!folders.isEmpty()) return trash_.remove(folders);
    if (keptOpen_) warn(tr("This run is open in the window."), openRunSentence());
}

void RunsPage::sayRemoved(const RunTrash::Outcome& outcome) {
    QString problem = outcome.problem;
    if (std::exchange(keptOpen_, false) && problem.isEmpty())
        problem = tr("One is open in the window and stays. ") + openRunSentence();
    if (outcome.done.isEmpty()) return warn(tr("Nothing was deleted."), problem);
    const QString what = outcome.done.size() == 1
                             ? tr("%1 is in the trash.").arg(QFileInfo(outcome.done[0]).fileName())
                             : tr("%1 runs are in the trash.").arg(outcome.done.size());
    notice_->showNotice({problem.isEmpty() ? Tone::Neutral : Tone::Warn, what, problem, {}});
    offerUndo()->setFocus(Qt::OtherFocusReason);
    Q_EMIT refreshRequested();
}

QString RunsPage::openRunSentence() {
    return tr("Close it (Run, Close this run), then delete it.");
}

/// What was deleted before can be taken back still.
void RunsPage::warn(const QString& what, const QString& why) {
    notice_->showNotice({Tone::Warn, what, why, {}});
    if (trash_.hasLast()) offerUndo();
}

QPushButton* RunsPage::offerUndo() {
    QPushButton* undo = notice_->addAction(tr("Undo"));
    undo->setObjectName(QStringLiteral("undoRemoveButton"));
    connect(undo, &QPushButton::clicked, &trash_, &RunTrash::undo);
    return undo;
}

void RunsPage::sayRestored(const RunTrash::Outcome& outcome) {
    if (!outcome.problem.isEmpty())
        warn(tr("Not all is back."), outcome.problem);
    else
        notice_->clear();
    chosen_ = outcome.done;
    focusForm();
    Q_EMIT refreshRequested();
}

}  // namespace lockstep::ui
