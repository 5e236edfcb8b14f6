// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/share_run.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>
#include <QStandardPaths>
#include <QUrl>

#include "core/job/report/html_report.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {

ShareRun::ShareRun(QAction* action, NoticeBar* notice, QWidget* parent)
    : QObject(parent), action_(action), notice_(notice), parent_(parent) {
    connect(action_, &QAction::triggered, this, &ShareRun::ask);
    showState();
}

void ShareRun::setFolder(const QString& folder) {
    folder_ = folder;
    showState();
}

void ShareRun::showState() {
    action_->setEnabled(!folder_.isEmpty() && !writing_.isBusy());
    action_->setText(writing_.isBusy() ? tr("Writing …") : tr("Share …"));
}

void ShareRun::ask() {
    if (folder_.isEmpty() || writing_.isBusy()) return;
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QDir place(QFileInfo(documents).isDir() ? documents : QDir::homePath());
    const QString name = QString::fromStdString(job::reportFileName(folder_.toStdString()));
    const QString file =
        QFileDialog::getSaveFileName(parent_->window(), tr("Share the run as a page"),
                                     place.filePath(name), tr("Page (*.html)"));
    if (!file.isEmpty()) writeTo(file);
}

void ShareRun::writeTo(const QString& file) {
    notice_->clear();
    writing_.start([folder = folder_.toStdString(),
                    file = file.toStdString()] { return job::writeHtmlReport(folder, file); },
                   [this, file](const Result<void>& written) { showWritten(file, written); });
    showState();
}

void ShareRun::showWritten(const QString& file, const Result<void>& written) {
    showState();
    if (!written) {
        QString words = QString::fromStdString(written.error().message);
        if (!words.isEmpty()) words[0] = words[0].toUpper();
        notice_->showNotice({Tone::Bad, tr("The page was not written."), words, {}});
        return;
    }
    notice_->showNotice(
        {Tone::Good,
         tr("The run was written to %1.").arg(QFileInfo(file).fileName()),
         tr("One page with its curves, scores and job file, which opens in any browser."),
         {}});
    QPushButton* open = notice_->addAction(tr("Open"));
    open->setObjectName(QStringLiteral("openSharedPage"));
    connect(open, &QPushButton::clicked, this,
            [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
    QPushButton* show = notice_->addAction(tr("Show in folder"));
    show->setObjectName(QStringLiteral("showSharedPage"));
    connect(show, &QPushButton::clicked, this, [file] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(file).absolutePath()));
    });
}

}  // namespace lockstep::ui
