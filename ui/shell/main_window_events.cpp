// SPDX-License-Identifier: GPL-3.0-or-later
// What the window itself is asked for: closing, dropping, theme, size.
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QUrl>

#include "ui/dialogs/close_dialog.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/main_window.h"
#include "ui/shell/window_actions.h"
#include "ui/style/core_words.h"

namespace lockstep::ui {
namespace {

const auto kGeometryKey = QStringLiteral("window/geometry");
const auto kThemeKey = QStringLiteral("theme");
constexpr QSize kDefaultSize(1280, 800);
constexpr QSize kLeastSize(800, 560);
constexpr QSize kFrame(16, 48);  ///< What window managers put around it, about.

}  // namespace

void MainWindow::restoreWindow() {
    setMinimumSize(kLeastSize);
    resize(kDefaultSize.boundedTo(screen()->availableGeometry().size() - kFrame));
    restoreGeometry(QSettings().value(kGeometryKey).toByteArray());
    const int mode =
        std::clamp(QSettings().value(kThemeKey).toInt(), 0, int(actions_->themes.size()) - 1);
    applyThemeChoice(mode);
}

void MainWindow::applyThemeChoice(int mode) {
    QSettings().setValue(kThemeKey, mode);
    actions_->themes[mode]->setChecked(true);
    if (auto* application = qobject_cast<QApplication*>(QCoreApplication::instance())) {
        applyTheme(*application, ThemeMode(mode));
    }
}

void MainWindow::refreshRuns() {
    listingRuns_.start(
        [list = services_.listRuns, folder = runsFolder_] { return list(folder); },
        [this](std::vector<job::RunEntry> found) { runsModel_.setRuns(std::move(found)); });
}

/// Where the runs of the open job come to lie, which the disk decides.
void MainWindow::refreshPlace() {
    if (!services_.runsFolder) return;
    const auto find = [find = services_.runsFolder, own = runsFolder_,
                       jobFolder = std::filesystem::path(jobs_->editor().folder().toStdString())] {
        const job::RunsFolder found =
            own.empty() ? find(jobFolder) : job::RunsFolder{own, job::RunsFolderOrigin::Chosen};
        std::error_code error;
        return RunsPage::Place{QString::fromStdString(found.folder.string()),
                               fromCore(job::describe(found.origin)),
                               own.empty() && found.origin == job::RunsFolderOrigin::Chosen,
                               std::filesystem::is_directory(found.folder, error)};
    };
    findingPlace_.start(find, [this](const RunsPage::Place& place) {
        place_ = place.folder;
        runsPage_->showPlace(place);
    });
}

void MainWindow::changePlace() {
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("A folder for the runs of all jobs"), place_);
    if (!folder.isEmpty()) placeRuns(folder.toStdString());
}

void MainWindow::placeRuns(const std::filesystem::path& folder) {
    if (!services_.chooseRunsFolder) return;
    choosingPlace_.start([choose = services_.chooseRunsFolder, folder] { return choose(folder); },
                         [this](const Result<void>& chosen) {
                             if (!chosen) showNotice(noticeOf(chosen.error()));
                             refreshPlace();
                             refreshRuns();
                         });
}

void MainWindow::chooseRunFolder() {
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Attach to run folder"), place_);
    if (!folder.isEmpty()) runs_->attach(folder.toStdString());
}

void MainWindow::openPath(const QString& path) {
    if (QFileInfo(path).isDir()) {
        runs_->attach(path.toStdString());
        return;
    }
    showPage(Page::Job);
    jobs_->open(path);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    openPath(event->mimeData()->urls().front().toLocalFile());
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::WindowStateChange) bridge_.setHidden(isMinimized());
    if (event->type() == QEvent::ActivationChange && isActiveWindow()) dataCheck_.look();
    if (event->type() == QEvent::PaletteChange && header_) header_->showSituation(situation());
    QMainWindow::changeEvent(event);
}

/// As far as the desktop lets a program do that.
void MainWindow::comeToFront() {
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

/// Says what becomes of the run that is followed when the window closes.
bool MainWindow::mayLeaveRun() {
    if (runs_->endsWithWindow()) return runs_->mayEndTiedJob(TiedEnd::WindowCloses);
    const QString command = runs_->followCommand();
    return command.isEmpty() || askToLeaveRunning(this, jobName(), command) == CloseAnswer::Proceed;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    event->ignore();
    if (!jobs_->mayLeave([this] { close(); }) || !mayLeaveRun()) return;
    if (jobs_->editor().isModified()) jobs_->discardChanges();
    QSettings().setValue(kGeometryKey, saveGeometry());
    const QString left = runs_->endsWithWindow() ? QString() : runs_->leftRunningSentence();
    bridge_.release();
    if (!left.isEmpty()) Q_EMIT runLeftBehind(left);
    event->accept();
}

}  // namespace lockstep::ui
