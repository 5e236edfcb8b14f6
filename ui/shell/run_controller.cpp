// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_controller.h"

#include <QFileInfo>

#include "ui/models/words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

/// The first cause is the one that matters: what failed later failed because of it.
QString failureSentence(const job::RunView& view) {
    if (!view.failures.empty()) {
        const job::FailureView& failure = view.failures.front();
        QString who = processSentenceName(failure.role, failure.processId);
        who[0] = who[0].toUpper();
        return RunController::tr("%1 on %2: %3, at step %4")
            .arg(who, QString::fromStdString(failure.host), QString::fromStdString(failure.cause),
                 units::count(failure.step));
    }
    return QString::fromStdString(view.error.empty() ? view.sentence : view.error);
}

QString failureDetails(const job::RunView& view) {
    QStringList lines{QString::fromStdString(view.error),
                      QString::fromStdString(view.runDir.string())};
    for (const job::FailureView& failure : view.failures) {
        lines << RunController::tr("%1 (%2): %3; noticed after %4")
                     .arg(processSentenceName(failure.role, failure.processId),
                          QString::fromStdString(failure.host),
                          QString::fromStdString(failure.cause),
                          units::duration(failure.detectedAfterSeconds));
    }
    return lines.join(QLatin1Char('\n'));
}

QString failureRemedy(const job::RunView& view) {
    if (!view.remedy.empty()) return QString::fromStdString(view.remedy);
    return view.checkpoints.empty()
               ? RunController::tr("The Logs page shows what it wrote last.")
               : RunController::tr(
                     "The Logs page shows what it wrote last. Resume goes on from step %1.")
                     .arg(units::count(view.checkpoints.back().step));
}

}  // namespace

NoticeBar::Notice noticeOf(const Error& error) {
    return {Tone::Bad, QString::fromStdString(error.message), QString::fromStdString(error.remedy),
            QString::fromStdString(error.message + "\n" + error.remedy)};
}

RunController::RunController(SessionBridge& bridge, JobEditor& editor, RunPlaces places,
                             QObject* parent)
    : QObject(parent), bridge_(bridge), editor_(editor), places_(std::move(places)) {
    connect(&bridge_, &SessionBridge::openingFailed, this,
            [this](const Error& error) { emit noticeRaised(noticeOf(error)); });
    connect(&bridge_, &SessionBridge::runEnded, this, &RunController::noteEnd);
}

void RunController::launch() {
    if (!editor_.hasJob() || editor_.hasErrors() || bridge_.isRunning() || bridge_.isOpening())
        return;
    const QString folder = QFileInfo(editor_.path()).absolutePath();
    const bool tied = editor_.spec().launch.onDisconnect == config::OnDisconnect::Tied;
    start(editor_.text().toStdString(), folder.toStdString(), tied, false);
}

void RunController::resume() {
    const View view = bridge_.view();
    if (!view || bridge_.isRunning() || bridge_.isOpening()) return;
    auto document = config::JobDocument::lenient(view->jobToml, "job.toml");
    const auto placed = document.set("job.run_dir", config::tomlString(view->runDir.string()));
    if (!placed) {
        emit noticeRaised(noticeOf(placed.error()));
        return;
    }
    const bool tied = document.spec().launch.onDisconnect == config::OnDisconnect::Tied;
    start(document.text(), view->runDir, tied, true);
}

void RunController::start(const std::string& toml, const std::filesystem::path& folder, bool tied,
                          bool resume) {
    job::LaunchOptions options;
    options.workerProgram = places_.workerProgram;
    options.runsFolder = places_.runsFolder;
    options.tied = tied;
    options.resume = resume;
    tied_ = tied;
    launchedHere_ = true;
    bridge_.launch(toml, folder, options);
}

void RunController::stop() {
    if (bridge_.isStopRequested())
        bridge_.kill();
    else
        bridge_.requestStop();
}

bool RunController::endsWithWindow() const {
    return launchedHere_ && tied_ && bridge_.isRunning();
}

QString RunController::leftRunningSentence() const {
    if (!bridge_.isRunning() || !bridge_.view()) return {};
    return tr("“%1” goes on without this window. Follow it again: lockstepctl attach %2")
        .arg(QString::fromStdString(bridge_.view()->name),
             QString::fromStdString(bridge_.view()->runDir.string()));
}

void RunController::noteEnd(const View& view) {
    if (view->state == job::RunState::Failed) {
        emit noticeRaised(
            {Tone::Bad, failureSentence(*view), failureRemedy(*view), failureDetails(*view)});
    }
}

}  // namespace lockstep::ui
