// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_controller.h"

#include <QFileInfo>

#include "core/job/trust.h"
#include "ui/models/words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

/// The first cause of a start is the one that matters: what failed later failed because of it. How
/// former starts of the run failed is history.
QString failureSentence(const job::RunView& view) {
    if (view.failures.size() > view.formerFailures) {
        const job::FailureView& failure = view.failures[view.formerFailures];
        QString who = processSentenceName(failure.role, failure.processId);
        who[0] = who[0].toUpper();
        const QString sentence = RunController::tr("%1 on %2: %3")
                                     .arg(who, QString::fromStdString(failure.host),
                                          QString::fromStdString(failure.cause));
        // Before the first step, and in a program that reports none, there is none to be named.
        return failure.step > 0
                   ? RunController::tr("%1, at step %2").arg(sentence, units::count(failure.step))
                   : sentence;
    }
    QString sentence = QString::fromStdString(view.error.empty() ? view.sentence : view.error);
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    return sentence;
}

QString failureDetails(const job::RunView& view) {
    QStringList lines{QString::fromStdString(view.error),
                      QString::fromStdString(view.runDir.string())};
    for (std::size_t i = 0; i < view.failures.size(); ++i) {
        const job::FailureView& failure = view.failures[i];
        const QString line =
            RunController::tr("%1 (%2): %3; noticed after %4")
                .arg(processSentenceName(failure.role, failure.processId),
                     QString::fromStdString(failure.host), QString::fromStdString(failure.cause),
                     units::duration(failure.detectedAfterSeconds));
        lines << (i < view.formerFailures ? RunController::tr("in a former start: %1").arg(line)
                                          : line);
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

RunController::RunController(SessionBridge& bridge, JobEditor& editor, ConsentGate& consent,
                             RunPlaces places, QObject* parent)
    : QObject(parent),
      bridge_(bridge),
      editor_(editor),
      consent_(consent),
      places_(std::move(places)) {
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

/// Whoever opens somebody's file must see what it would run before it does.
void RunController::startIfTrusted(const Launch& launch) {
    if (launch.effects.empty()) return start(launch);
    consent_.ask({.action = ConsentDialog::Action::Launch,
                  .file = launch.jobFile,
                  .findUnknown =
                      [file = launch.jobFile, effects = launch.effects] {
                          return job::TrustedJobs().contains(file, effects) ? ConsentGate::Effects()
                                                                            : effects;
                      },
                  .remember =
                      [file = launch.jobFile](const ConsentGate::Effects& effects) {
                          std::ignore = job::TrustedJobs().add(file, effects);
                      },
                  .pass = [this, launch](const ConsentGate::Effects&) { start(launch); }});
}

void RunController::attach(const std::filesystem::path& runDir) {
    consent_.ask(
        {.action = ConsentDialog::Action::Attach,
         .file = runDir,
         .findUnknown =
             [runDir] {
                 auto effects = job::attachEffects(runDir);
                 if (job::trustedRuns().contains(runDir, effects)) effects.clear();
                 return effects;
             },
         .remember =
             [runDir](const ConsentGate::Effects& effects) {
                 std::ignore = job::trustedRuns().add(runDir, effects);
             },
         .pass = [this,
                  runDir](const ConsentGate::Effects& agreed) { bridge_.attach(runDir, agreed); }});
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
    if (bridge_.isRunning() || bridge_.isOpening()) return;
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
