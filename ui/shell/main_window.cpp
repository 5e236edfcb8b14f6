// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/main_window.h"

#include <QFileInfo>
#include <QPushButton>
#include <QStackedWidget>

#include "core/base/clock.h"
#include "core/job/trust.h"
#include "ui/dialogs/consent_dialog.h"
#include "ui/dialogs/host_question_dialog.h"
#include "ui/pages/evaluator/evaluator_desk.h"
#include "ui/pages/home/home_page.h"
#include "ui/pages/job/host_check_card.h"
#include "ui/pages/job/job_page.h"
#include "ui/pages/logs/logs_page.h"
#include "ui/pages/replicas/replicas_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/shell/away_notices.h"
#include "ui/shell/drill_desk.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/live_runs_offer.h"
#include "ui/shell/run_warnings.h"
#include "ui/shell/status_line.h"
#include "ui/shell/stuck_notice.h"
#include "ui/shell/time_travel.h"
#include "ui/shell/window_actions.h"
#include "ui/widgets/navigation_rail.h"

namespace lockstep::ui {
namespace {

constexpr double kReplayedSeconds = 30;

/// False: what is open, if anything, is the unchanged job of a run, which may be replaced.
bool isInUse(const JobEditor& editor) {
    return editor.hasJob() && (!editor.isCopy() || editor.isModified());
}

}  // namespace

MainWindow::MainWindow(JobServices services, const Options& options)
    : services_(questions_.answering(std::move(services))),
      runsFolder_(options.places.runsFolder),
      bridge_(services_),
      doctor_(services_),
      jobs_(new JobController(*this, {options.exampleJob, options.startersFolder},
                              options.stateFolder)),
      dataCheck_(services_, jobs_->editor()),
      runs_(new RunController(bridge_, jobs_->editor(), consent_, options.places, this)),
      clusterModel_(new ClusterTableModel(jobs_->editor(), this)),
      actions_(new WindowActions(*this, jobs_->editor().undoStack())) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    if (options.callsBack)
        away_ = new AwayNotices(
            DesktopNotifications::sessionBus(), [] { return Seconds(SteadyClock::read()).count(); },
            this);
    buildPages();
    buildRail();
    buildFrame();
    connectActions();
    connectJob();
    connectRun();
    connectPast();
    connectPages();
    connectHosts();
    presentHostQuestions(questions_, this);
    restoreWindow();
    start(options);
}

MainWindow::~MainWindow() {
    questions_.close();          // no connection waits for an answer while sessions end
    delete takeCentralWidget();  // the pages, while what they show is still there
}

void MainWindow::checkHosts() {
    if (doctor_.isRunning()) return;
    if (const QString obstacle = runs_->jobObstacle(); !obstacle.isEmpty())
        return showNotice({Tone::Warn, tr("The hosts cannot be checked yet."), obstacle, {}});
    const JobEditor& editor = jobs_->editor();
    const std::filesystem::path file = trustedAs(editor);
    const std::filesystem::path folder = editor.folder().toStdString();
    const auto examine = [this, toml = editor.text().toStdString(), folder] {
        job::DoctorOptions options;
        options.runsFolder = runsFolder_;
        doctor_.start(toml, folder, options);
        jobPage_->showHosts();
    };
    showPage(Page::Job);
    const auto effects = job::loginEffects(editor.spec(), folder);
    if (effects.empty()) return examine();
    consent_.ask({.action = ConsentDialog::Action::CheckHosts,
                  .file = file,
                  .findUnknown =
                      [file, spec = editor.spec(), folder, effects] {
                          const bool known =
                              file.is_absolute() && job::mayExamine(file, spec, folder);
                          return known ? ConsentGate::Effects() : effects;
                      },
                  .remember =
                      [file](const ConsentGate::Effects& shown) {
                          if (file.is_absolute()) std::ignore = job::TrustedJobs().add(file, shown);
                      },
                  .pass = [examine](const ConsentGate::Effects&) { examine(); }});
}

void MainWindow::start(const Options& options) {
    const QStringList names{QStringLiteral("home"),      QStringLiteral("job"),
                            QStringLiteral("live"),      QStringLiteral("replicas"),
                            QStringLiteral("evaluator"), QStringLiteral("logs"),
                            QStringLiteral("runs")};
    const bool isGiven = !options.openJob.isEmpty() || !options.attachRunDir.isEmpty();
    const auto wanted = names.indexOf(options.startPage);
    const Page first = wanted >= 0 ? Page(wanted) : isGiven ? Page::Job : Page::Home;
    showPage(first);
    showSituation();
    jobs_->store().lookForRecovery();
    if (!options.openJob.isEmpty()) jobs_->open(options.openJob);
    if (options.attachRunDir.isEmpty() && first != Page::Home)
        liveRuns_->look();  // Home lists them
    if (!options.attachRunDir.isEmpty()) runs_->attach(options.attachRunDir.toStdString());
}

void MainWindow::showPage(Page page) {
    stack_->setCurrentIndex(int(page));
    rail_->setCurrent(int(page));
    actions_->pages[int(page)]->setChecked(true);
    if (page == Page::Runs) {
        refreshRuns();
        refreshPlace();
    }
    if (page == Page::Replicas) shownPages().replicas().refreshPanel();
}

void MainWindow::goToPage(Page page) {
    showPage(page);
    QWidget* shown = stack_->currentWidget();
    QWidget* next = shown->nextInFocusChain();
    const auto takesKeys = [shown](const QWidget* widget) {
        return shown->isAncestorOf(widget) && widget->isVisible() && widget->isEnabled() &&
               (widget->focusPolicy() & Qt::TabFocus);
    };
    while (next != shown && !takesKeys(next))
        next = next->nextInFocusChain();
    next->setFocus(Qt::OtherFocusReason);
}

void MainWindow::emptyPages() {
    travel_->reset();
    now_->reset();
    warnings_->reset();
    stuck_->reset();
    drills_->reset();
    if (away_) away_->reset();
}

void MainWindow::showView(const View& view) {
    if (showsOtherJob() && !isInUse(jobs_->editor())) showRunsJob();
    now_->showView(view);
    travel_->showLive(view);
    warnings_->showView(*view);
    stuck_->showView(*view);
    drills_->showView();
    if (away_) away_->showView(*view);
    showSituation();
}

/// A run that was launched elsewhere, or before, has a job of its own.
bool MainWindow::showsOtherJob() const {
    const View view = bridge_.view();
    return view && !view->jobToml.empty() && !runs_->launchedHere() &&
           !jobs_->showsJobOf(view->runDir);
}

void MainWindow::showRunsJob() {
    if (const View view = bridge_.view()) jobs_->openJobOf(*view);
}

RunSituation MainWindow::situation() const {
    return {.hasJob = jobs_->editor().hasJob(),
            .jobHasErrors = jobs_->editor().hasErrors(),
            .hostsInTheWay = !jobPage_->hosts().obstacle().isEmpty(),
            .opening = bridge_.isOpening(),
            .attaching = runs_->isAttaching(),
            .stopRequested = bridge_.isStopRequested() && !travel_->isInPast(),
            .past = travel_->isInPast(),
            .view = shownView().get()};
}

QString MainWindow::jobName() const {
    if (const View view = bridge_.view(); view && !view->name.empty())
        return QString::fromStdString(view->name);
    return jobs_->editor().hasJob() ? QString::fromStdString(jobs_->editor().spec().name)
                                    : tr("Lockstep");
}

void MainWindow::showSituation() {
    const RunSituation now = situation();
    const ButtonState button = primaryButton(now);
    jobPage_->offerRunsJob(showsOtherJob() ? jobName() : QString());
    header_->setJobName(jobName());
    header_->showSituation(now);
    runsPage_->setShownRun(now.view ? QString::fromStdString(now.view->runDir.string())
                                    : QString());
    status_->showView(now.view, now.hasJob ? tr("No run is open.") : tr("Open a job to begin."));
    matchActions();
    actions_->resume->setEnabled(button.verb == Verb::Resume && button.enabled);
    const ReplicaBadge badge =
        replicaBadge(now.view && bridge_.isRunning() ? now.view->verdictSeverity : 0);
    rail_->setBadge(int(Page::Replicas), badge.tone, badge.words);
    rail_->setBadge(int(Page::Job), now.jobHasErrors ? Tone::Bad : Tone::Neutral,
                    tr("has problems"));
    setWindowTitle(windowTitleOf(now, jobName(), jobs_->editor().fileName()));
    setWindowModified(jobs_->editor().isModified());
}

void MainWindow::matchActions() {
    const bool past = travel_->isInPast();
    const bool canAct = bridge_.isRunning() && !past;
    for (QAction* action : {actions_->stop, actions_->kill})
        action->setEnabled(canAct);
    actions_->launch->setEnabled(!past);
    for (QAction* action : {actions_->stop, actions_->kill, actions_->launch, actions_->resume})
        action->setToolTip(past ? pastObstacle() : QString());
    actions_->release->setEnabled(bridge_.hasSession());
    now_->replicas().offerDrills(canAct);
    if (past_) past_->replicas().offerDrills(false);
    const bool hasJob = jobs_->editor().hasJob();
    actions_->save->setEnabled(hasJob);
    actions_->saveAs->setEnabled(hasJob);
}

void MainWindow::showNotice(const NoticeBar::Notice& notice) {
    notice_->showNotice(notice);
    if (notice.tone != Tone::Bad) return;
    const View view = bridge_.view();
    if (view && view->state == job::RunState::Failed && view->step > 0 && !bridge_.isOpening()) {
        QPushButton* replay = notice_->addAction(tr("Replay the last 30 s"));
        replay->setObjectName(QStringLiteral("noticeReplay"));
        connect(replay, &QPushButton::clicked, travel_,
                [this] { travel_->replayEnd(kReplayedSeconds); });
    }
    if (now_->log().lineCount() == 0) return;
    QPushButton* logs = notice_->addAction(tr("Show log"));
    logs->setObjectName(QStringLiteral("noticeShowLog"));
    connect(logs, &QPushButton::clicked, this, &MainWindow::showFailureInLog);
}

void MainWindow::showFailureInLog() {
    showPage(Page::Logs);
    const View view = bridge_.view();
    if (!view || view->failures.size() <= view->formerFailures) return;
    // The one that the card names.
    const job::FailureView& failure = view->failures[view->formerFailures];
    now_->logs().showFailure(failure.role, failure.processId,
                             QString::fromStdString(failure.cause));
}

void MainWindow::offerRecovery(const JobStore::Recovery& recovery) {
    const QString name = recovery.path.isEmpty() ? tr("a job without a file") : recovery.path;
    recoveryNotice_->showNotice({Tone::Warn,
                                 tr("Changes of %1 were not saved the last time.").arg(name),
                                 tr("Recover them, or dismiss this to give them up."),
                                 {}});
    QPushButton* recover = recoveryNotice_->addAction(tr("Recover"));
    recover->setObjectName(QStringLiteral("recoverButton"));
    connect(recover, &QPushButton::clicked, jobs_, [this, recovery] { jobs_->recover(recovery); });
}

}  // namespace lockstep::ui
