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
#include <atomic>
#include <chrono>

#include "core/job/report/html_report.h"
#include "ui/dialogs/question_dialog.h"
#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/language.h"
#include "ui/style/units.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {

namespace {

const auto kTimelineEnding = QStringLiteral(".pftrace");
constexpr auto kProgress = std::chrono::milliseconds(200);

QString capital(const std::string& words) {
    QString text = fromCore(words);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// In the language of the window.
job::ReportWords wordsOfReport() {
    job::ReportWords say;
    say.code = spokenLocale().bcp47Name().toStdString();
    say.translate = [](const std::string& english) { return fromCore(english).toStdString(); };
    return say;
}

}  // namespace

struct ShareRun::Progress {
    std::atomic<quint64> bytes = 0;
    std::atomic<bool> givenUp = false;
};

ShareRun::ShareRun(QAction* action, NoticeBar* notice, QWidget* parent)
    : QObject(parent), action_(action), notice_(notice), parent_(parent) {
    connect(action_, &QAction::triggered, this, &ShareRun::ask);
    beat_.setInterval(kProgress);
    beat_.callOnTimeout(this, &ShareRun::showState);
    showState();
}

ShareRun::~ShareRun() {
    giveUp();
}

void ShareRun::setFolder(const QString& folder) {
    folder_ = folder;
    showState();
}

void ShareRun::showState() {
    action_->setEnabled(!folder_.isEmpty() && !writing_.isBusy());
    action_->setText(writing_.isBusy() ? tr("Writing …") : tr("Share …"));
    if (writing_.isBusy() && progress_)
        notice_->setSentence(
            tr("Writing the timeline … %1").arg(units::bytes(double(progress_->bytes))));
}

void ShareRun::ask() {
    if (folder_.isEmpty() || writing_.isBusy()) return;
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QDir place(QFileInfo(documents).isDir() ? documents : QDir::homePath());
    const QString name = QString::fromStdString(job::reportFileName(folder_.toStdString()));
    const QString page = tr("Page (*.html)");
    const QString timeline = tr("Timeline for ui.perfetto.dev (*%1)").arg(kTimelineEnding);
    QString chosen = page;
    QString file =
        QFileDialog::getSaveFileName(parent_->window(), tr("Share the run"), place.filePath(name),
                                     page + QStringLiteral(";;") + timeline, &chosen);
    if (file.isEmpty()) return;
    if (chosen == timeline && !file.endsWith(kTimelineEnding)) {
        if (file.endsWith(QLatin1String(".html"))) file.chop(5);
        file += kTimelineEnding;
        // The file dialog has asked about the name that it knew.
        if (QFileInfo::exists(file) && !mayReplace(file)) return;
    }
    writeTo(file);
}

bool ShareRun::mayReplace(const QString& file) const {
    QuestionDialog dialog(tr("Share the run"),
                          tr("%1 is there already.").arg(QFileInfo(file).fileName()),
                          tr("The timeline of this run would take its place."), parent_->window());
    dialog.setObjectName(QStringLiteral("replaceSharedDialog"));
    dialog.addButton(tr("Cancel"), "keepSharedButton", QuestionDialog::Verb::Stay);
    const QPushButton* replace =
        dialog.addButton(tr("Replace it"), "replaceSharedButton", QuestionDialog::Verb::Lose);
    return dialog.ask() == replace;
}

void ShareRun::writeTo(const QString& file) {
    notice_->clear();
    file.endsWith(kTimelineEnding) ? writeTimeline(file) : writePage(file);
    showState();
}

void ShareRun::writePage(const QString& file) {
    const auto write = [folder = folder_.toStdString(), file = file.toStdString(),
                        say = wordsOfReport()] { return job::writeHtmlReport(folder, file, say); };
    writing_.start(write,
                   [this, file](const Result<void>& written) { showWritten(file, written); });
}

/// Of a long run it takes a while, and may be given up.
void ShareRun::writeTimeline(const QString& file) {
    progress_ = std::make_shared<Progress>();
    notice_->showNotice({Tone::Accent, tr("Writing the timeline …"), {}, {}});
    QPushButton* cancel = notice_->addAction(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("cancelTimeline"));
    connect(cancel, &QPushButton::clicked, this, &ShareRun::giveUp);
    beat_.start();
    const auto write = [folder = folder_.toStdString(), file = file.toStdString(),
                        progress = progress_] {
        return job::writeTraceFile(folder, file, [&progress](std::uint64_t bytes) {
            progress->bytes = bytes;
            return !progress->givenUp;
        });
    };
    writing_.start(write, [this, file](const Result<job::WrittenTrace>& written) {
        beat_.stop();
        progress_.reset();
        showTimeline(file, written);
    });
}

void ShareRun::giveUp() {
    if (progress_) progress_->givenUp = true;
}

void ShareRun::showFailure(const QString& sentence, const Error& error) {
    notice_->showNotice({Tone::Bad, sentence, capital(error.message), {}});
}

void ShareRun::showTimeline(const QString& file, const Result<job::WrittenTrace>& written) {
    showState();
    if (!written && written.error().code == ErrorCode::Cancelled)
        return notice_->showNotice(
            {Tone::Neutral, tr("The timeline was given up; nothing was written."), {}, {}});
    if (!written) return showFailure(tr("The timeline was not written."), written.error());
    QStringList remarks{tr("Open it at ui.perfetto.dev, which reads it in the browser.")};
    for (const std::string& remark : written->remarks)
        remarks << asSentence(fromCore(remark));
    if (!written->missing.empty()) remarks << asSentence(fromCore(written->missing));
    notice_->showNotice({written->missing.empty() ? Tone::Good : Tone::Warn,
                         tr("The timeline of the run was written to %1 (%2).")
                             .arg(QFileInfo(file).fileName(), units::bytes(double(written->bytes))),
                         remarks.join(QLatin1Char('\n')),
                         {}});
    addPlace(file);
}

void ShareRun::showWritten(const QString& file, const Result<void>& written) {
    showState();
    if (!written) return showFailure(tr("The page was not written."), written.error());
    notice_->showNotice(
        {Tone::Good,
         tr("The run was written to %1.").arg(QFileInfo(file).fileName()),
         tr("One page with its curves, scores and job file, which opens in any browser."),
         {}});
    QPushButton* open = notice_->addAction(tr("Open"));
    open->setObjectName(QStringLiteral("openSharedPage"));
    connect(open, &QPushButton::clicked, this,
            [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
    addPlace(file);
}

void ShareRun::addPlace(const QString& file) {
    QPushButton* show = notice_->addAction(tr("Show in folder"));
    show->setObjectName(QStringLiteral("showSharedPage"));
    connect(show, &QPushButton::clicked, this, [file] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(file).absolutePath()));
    });
}

}  // namespace lockstep::ui
