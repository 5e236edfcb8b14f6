// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_controller.h"

#include <QFileInfo>

#include "core/job/trust.h"
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
    QString sentence = QString::fromStdString(view.error.empty() ? view.sentence : view.error);
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    return sentence;
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
    if (view.replicas.empty()) return RunController::tr("Nothing was started.");
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
    const QFileInfo file(editor_.path());
    const bool tied = editor_.spec().launch.onDisconnect == config::OnDisconnect::Tied;
    const std::filesystem::path folder = file.absolutePath().toStdString();
    startIfTrusted({editor_.text().toStdString(), file.absoluteFilePath().toStdString(), folder,
                    tied, false, job::launchEffects(editor_.spec(), folder)});
}

void RunController::launchAsShown() {
    if (bridge_.isRunning() || bridge_.isOpening()) return;
    // That it could not be remembered is no harm: it is asked again.
    trust_.start(
        [launch = next_] {
            return job::TrustedJobs().add(launch.jobFile, launch.effects).has_value();
        },
        [](bool) {});
    start(next_);
}

/// Whoever opens somebody's file must see what it would run before it does.
void RunController::startIfTrusted(Launch launch) {
    next_ = std::move(launch);
    if (next_.effects.empty() || next_.effects == consented_) return start(next_);
    trust_.start([next = next_] { return job::TrustedJobs().contains(next.jobFile, next.effects); },
                 [this](bool trusted) {
                     if (trusted) return start(next_);
                     QStringList lines;
                     for (const std::string& effect : next_.effects)
                         lines << QString::fromStdString(effect);
                     emit consentNeeded(QString::fromStdString(next_.jobFile.filename().string()),
                                        lines);
                 });
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
    startIfTrusted({document.text(), view->runDir / "job.toml", view->runDir, tied, true,
                    job::launchEffects(document.spec(), view->runDir)});
}

void RunController::start(const Launch& launch) {
    consented_ = launch.effects;
    job::LaunchOptions options;
    options.workerProgram = places_.workerProgram;
    options.runsFolder = places_.runsFolder;
    options.tied = launch.tied;
    options.resume = launch.resume;
    tied_ = launch.tied;
    launchedHere_ = true;
    bridge_.launch(launch.toml, launch.folder, options);
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
