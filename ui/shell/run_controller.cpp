// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_controller.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "core/job/trust.h"
#include "ui/dialogs/close_dialog.h"
#include "ui/models/form_words.h"
#include "ui/models/resume_point.h"
#include "ui/models/words.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/primary_verb.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

/// How former starts of the run failed is history.
QString failureSentence(const job::RunView& view) {
    if (const job::FailureView* failure = decisiveFailure(view)) {
        QString what = failureWords(*failure);
        what[0] = what[0].toUpper();
        // A program of the user's may never have told its step.
        return failure->step > 0
                   ? RunController::tr("%1, at step %2").arg(what, units::count(failure->step))
                   : what;
    }
    QString sentence = fromCore(view.error.empty() ? view.sentence : view.error);
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    return sentence;
}

/// For whoever asks for help: in English, as logs have it and others search for it.
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
    if (!view.remedy.empty()) return fromCore(view.remedy);
    if (view.replicas.empty()) return RunController::tr("Nothing was started.");
    const job::CheckpointView* checkpoint = newestUsableCheckpoint(view);
    return checkpoint == nullptr
               ? RunController::tr("The Logs page shows what it wrote last.")
               : RunController::tr(
                     "The Logs page shows what it wrote last. Resume goes on from step %1.")
                     .arg(units::count(checkpoint->step));
}

/// As one spelling of the path, so that a folder is known again, also by way of a link.
std::filesystem::path spelt(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::path whole = std::filesystem::weakly_canonical(folder, error);
    if (error) whole = std::filesystem::absolute(folder, error).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace

NoticeBar::Notice noticeOf(const Error& error) {
    return {Tone::Bad, fromCore(error.message), fromCore(error.remedy),
            QString::fromStdString(error.message + "\n" + error.remedy)};
}

std::filesystem::path trustedAs(const JobEditor& editor) {
    if (editor.path().isEmpty()) return editor.fileName().toStdString();
    return QFileInfo(editor.path()).absoluteFilePath().toStdString();
}

RunController::RunController(SessionBridge& bridge, JobEditor& editor, ConsentGate& consent,
                             RunPlaces places, QWidget* window)
    : QObject(window),
      window_(window),
      bridge_(bridge),
      editor_(editor),
      consent_(consent),
      places_(std::move(places)) {
    connect(&bridge_, &SessionBridge::openingFailed, this, [this](const Error& error) {
        opening_.reset();
        Q_EMIT noticeRaised(noticeOf(error));
    });
    connect(&bridge_, &SessionBridge::sessionOpened, this,
            [this] { followed_ = std::exchange(opening_, {}).value_or(Origin()); });
    connect(&bridge_, &SessionBridge::sessionReleased, this, [this] { followed_ = {}; });
    connect(&bridge_, &SessionBridge::runEnded, this, &RunController::noteEnd);
}

QString RunController::jobObstacle() const {
    if (!editor_.hasJob()) return tr("Open a job first.");
    if (!editor_.hasErrors()) return {};
    const auto& findings = editor_.findings();
    const auto first =
        std::ranges::find(findings, config::Severity::Error, &config::Finding::severity);
    return sentenceOf(*first);
}

void RunController::launch() {
    if (bridge_.isOpening()) return;
    QString obstacle = jobObstacle();
    if (bridge_.isRunning())
        obstacle = tr("A run goes on in this window. Stop it, or close it with %1; a detached one "
                      "goes on by itself.")
                       .arg(QKeySequence(kReleaseKeys).toString(QKeySequence::NativeText));
    if (!obstacle.isEmpty()) {
        Q_EMIT noticeRaised({Tone::Warn, tr("The job cannot be launched yet."), obstacle, {}});
        return;
    }
    const bool tied = editor_.spec().launch.onDisconnect == config::OnDisconnect::Tied;
    const std::filesystem::path folder = editor_.folder().toStdString();
    startIfTrusted({editor_.text().toStdString(), trustedAs(editor_), folder, tied, false,
                    job::launchEffects(editor_.spec(), folder)});
}

/// Whoever opens somebody's file must see what it would run before it does.
void RunController::startIfTrusted(const Launch& launch) {
    if (launch.effects.empty()) return start(launch);
    consent_.ask({.action = ConsentDialog::Action::Launch,
                  .file = launch.jobFile,
                  .findUnknown =
                      [file = launch.jobFile, effects = launch.effects] {
                          const bool known =
                              file.is_absolute() && job::TrustedJobs().contains(file, effects);
                          return known ? ConsentGate::Effects() : effects;
                      },
                  .remember =
                      [file = launch.jobFile](const ConsentGate::Effects& effects) {
                          if (file.is_absolute())
                              std::ignore = job::TrustedJobs().add(file, effects);
                      },
                  .pass = [this, launch](const ConsentGate::Effects&) { start(launch); }});
}

bool RunController::follows(const std::filesystem::path& runDir) const {
    return bridge_.isRunning() && bridge_.view() && spelt(bridge_.view()->runDir) == spelt(runDir);
}

bool RunController::mayEndTiedJob(TiedEnd by) {
    if (!endsWithWindow()) return true;
    const View view = bridge_.view();
    const QString name =
        QString::fromStdString(view && !view->name.empty() ? view->name : editor_.spec().name);
    return askToEndTiedJob(window_, name, view ? progressText(*view) : QString(), by) ==
           CloseAnswer::Proceed;
}

void RunController::release() {
    if (mayEndTiedJob(TiedEnd::RunCloses)) bridge_.release();
}

void RunController::attach(const std::filesystem::path& runDir) {
    if (follows(runDir)) {
        Q_EMIT alreadyFollowed();
        return;
    }
    const bool mayEnd = endsWithWindow();
    if (!mayEndTiedJob(TiedEnd::OtherRunOpens)) return;
    consent_.ask({.action = ConsentDialog::Action::Attach,
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
                  .pass =
                      [this, runDir, mayEnd](const ConsentGate::Effects& agreed) {
                          if (bridge_.isOpening()) return;
                          if (endsWithWindow() && !mayEnd) return;  // launched in between
                          opening_ = Origin{};
                          bridge_.attach(runDir, agreed);
                      }});
}

void RunController::resume() {
    const View view = bridge_.view();
    if (!view || bridge_.isRunning() || bridge_.isOpening()) return;
    auto document = config::JobDocument::lenient(view->jobToml, "job.toml");
    const auto placed = document.set("job.run_dir", config::tomlString(view->runDir.string()));
    if (!placed) {
        Q_EMIT noticeRaised(noticeOf(placed.error()));
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
    opening_ = Origin{.launchedHere = true, .tied = launch.tied};
    bridge_.launch(launch.toml, launch.folder, options);
}

void RunController::stop() {
    if (bridge_.isStopRequested())
        bridge_.kill();
    else
        bridge_.requestStop();
}

bool RunController::endsWithWindow() const {
    return followed_.launchedHere && followed_.tied && bridge_.isRunning();
}

/// While the past of a run that has ended is still being read, nothing goes on either.
bool RunController::goesOnAlone() const {
    return bridge_.isRunning() && bridge_.view() && !bridge_.view()->isOver;
}

QString RunController::followCommand() const {
    if (!goesOnAlone()) return {};
    return QStringLiteral("lockstepctl attach %1")
        .arg(QString::fromStdString(bridge_.view()->runDir.string()));
}

QString RunController::leftRunningSentence() const {
    if (!goesOnAlone()) return {};
    return tr("“%1” goes on without this window. Follow it again: %2")
        .arg(QString::fromStdString(bridge_.view()->name), followCommand());
}

void RunController::noteEnd(const View& view) {
    if (view->state == job::RunState::Failed) {
        Q_EMIT noticeRaised(
            {Tone::Bad, failureSentence(*view), failureRemedy(*view), failureDetails(*view)});
    }
}

}  // namespace lockstep::ui
