// SPDX-License-Identifier: GPL-3.0-or-later
// What the window is made of, and who hears whom.
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QStatusBar>

#include "core/base/clock.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/consent_dialog.h"
#include "ui/dialogs/keys_dialog.h"
#include "ui/models/network.h"
#include "ui/pages/evaluator/evaluator_desk.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/pages/home/home_page.h"
#include "ui/pages/job/graph_legend.h"
#include "ui/pages/job/host_check_card.h"
#include "ui/pages/job/job_page.h"
#include "ui/pages/job/model_card.h"
#include "ui/pages/job/samples_card.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/logs/logs_page.h"
#include "ui/pages/replicas/replicas_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/shell/away_notices.h"
#include "ui/shell/chart_verbs.h"
#include "ui/shell/drill_desk.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/live_runs_offer.h"
#include "ui/shell/main_window.h"
#include "ui/shell/run_warnings.h"
#include "ui/shell/status_line.h"
#include "ui/shell/stuck_notice.h"
#include "ui/shell/time_bar.h"
#include "ui/shell/time_travel.h"
#include "ui/shell/window_actions.h"
#include "ui/style/language.h"
#include "ui/widgets/navigation_rail.h"
#include "ui/widgets/notice_column.h"

namespace lockstep::ui {

namespace {
constexpr int kReadable = 6000;  // milliseconds
}

void MainWindow::buildPages() {
    stack_ = new QStackedWidget(this);
    homePage_ = new HomePage(services_.knownRuns, services_.attach, stack_);
    jobPage_ = new JobPage(jobs_->editor(), *clusterModel_, stack_);
    now_ = std::make_unique<RunPages>(services_, stack_);
    runsPage_ = new RunsPage(runsModel_, services_, stack_);
    stack_->addWidget(homePage_);
    stack_->addWidget(jobPage_);
    for (QWidget* page : now_->pages())
        stack_->addWidget(page);
    stack_->addWidget(runsPage_);
}

void MainWindow::buildRail() {
    rail_ = new NavigationRail(this);
    const std::array<std::pair<Icon, QString>, int(Page::Count)> entries{
        {{Icon::Home, tr("Home")},
         {Icon::Job, tr("Job")},
         {Icon::Live, tr("Live")},
         {Icon::Replicas, tr("Replicas")},
         {Icon::Evaluator, tr("Evaluator")},
         {Icon::Logs, tr("Logs")},
         {Icon::Runs, tr("Runs")}}};
    for (const auto& [icon, word] : entries)
        rail_->addEntry(icon, word);
    connect(rail_, &NavigationRail::currentChanged, this,
            [this](int index) { showPage(Page(index)); });
}

void MainWindow::buildFrame() {
    header_ = new HeaderBar(this);
    notice_ = new NoticeBar(this);
    notice_->setObjectName(QStringLiteral("noticeBar"));
    recoveryNotice_ = new NoticeBar(this);
    recoveryNotice_->setObjectName(QStringLiteral("recoveryNotice"));
    connect(recoveryNotice_, &NoticeBar::dismissed, &jobs_->store(), &JobStore::forgetRecovery);
    liveRunsNotice_ = new NoticeBar(this);
    liveRunsNotice_->setObjectName(QStringLiteral("liveRunsNotice"));
    liveRuns_ = new LiveRunsOffer(*liveRunsNotice_, services_.knownRuns, this);
    warningNotice_ = new NoticeBar(this);
    warningNotice_->setObjectName(QStringLiteral("warningNotice"));
    warnings_ = new RunWarnings(*warningNotice_, this);
    stuckBar_ = new NoticeBar(this);
    stuckBar_->setObjectName(QStringLiteral("stuckNotice"));
    stuck_ = new StuckNotice(*stuckBar_, wallSeconds, this);
    status_ = new StatusLine(this);
    pastNotice_ = new NoticeBar(this);
    pastNotice_->setObjectName(QStringLiteral("pastNotice"));
    timeBar_ = new TimeBar(this);
    travel_ = new TimeTravel(
        *timeBar_, *pastNotice_, [] { return Seconds(SteadyClock::read()).count(); }, this);
    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(header_);
    auto* past = new NoticeColumn(this);
    past->add(pastNotice_);
    right->addWidget(past);
    notices_ = new NoticeColumn(this);
    for (NoticeBar* bar : {notice_, stuckBar_, recoveryNotice_, warningNotice_, liveRunsNotice_})
        notices_->add(bar);
    right->addWidget(notices_);
    right->addWidget(stack_, 1);
    right->addWidget(timeBar_);
    auto* centre = new QWidget(this);
    auto* layout = new QHBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(rail_);
    layout->addLayout(right, 1);
    setCentralWidget(centre);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 0, 0);
    statusBar()->addWidget(status_, 1);
}

void MainWindow::connectActions() {
    connect(actions_->open, &QAction::triggered, jobs_, &JobController::chooseAndOpen);
    connect(actions_->openExample, &QAction::triggered, jobs_, &JobController::openExample);
    for (QAction* starter : actions_->starters)
        connect(starter, &QAction::triggered, jobs_,
                [this, name = starter->data().toString()] { jobs_->openStarter(name); });
    connect(actions_->openRun, &QAction::triggered, this, &MainWindow::chooseRunFolder);
    connect(actions_->save, &QAction::triggered, jobs_, &JobController::save);
    connect(actions_->saveAs, &QAction::triggered, jobs_, &JobController::saveAs);
    connect(actions_->quit, &QAction::triggered, this, &QWidget::close);
    connect(actions_->find, &QAction::triggered, this, [this] {
        if (stack_->currentWidget() == runsPage_) return runsPage_->focusFilter();
        LivePage& live = shownPages().live();
        if (stack_->currentWidget() == &live && live.focusSearch()) return;
        showPage(Page::Logs);
        shownPages().logs().focusFind();
    });
    connect(actions_->launch, &QAction::triggered, runs_, &RunController::launch);
    connect(actions_->resume, &QAction::triggered, runs_, &RunController::resume);
    connect(actions_->stop, &QAction::triggered, runs_, &RunController::stop);
    connect(actions_->kill, &QAction::triggered, &bridge_, &SessionBridge::kill);
    connect(actions_->release, &QAction::triggered, runs_, &RunController::release);
    connect(actions_->refresh, &QAction::triggered, this, &MainWindow::refreshRuns);
    chartVerbs_ = new ChartVerbs(*actions_, *stack_, *notice_, *statusBar(), this);
    connect(actions_->keys, &QAction::triggered, this, [this] { showKeys(this); });
    connect(actions_->about, &QAction::triggered, this, [this] { showAbout(this); });
    connect(actions_, &WindowActions::recentJobChosen, jobs_, &JobController::open);
    for (int page = 0; page < actions_->pages.size(); ++page) {
        connect(actions_->pages[page], &QAction::triggered, this,
                [this, page] { goToPage(Page(page)); });
    }
    actions_->callBack->setVisible(away_ != nullptr);
    actions_->callBack->setChecked(AwayNotices::areWanted());
    if (away_) connect(actions_->callBack, &QAction::toggled, away_, &AwayNotices::setWanted);
    for (int mode = 0; mode < actions_->themes.size(); ++mode) {
        connect(actions_->themes[mode], &QAction::triggered, this,
                [this, mode] { applyThemeChoice(mode); });
    }
    for (QAction* language : std::as_const(actions_->languages)) {
        connect(language, &QAction::triggered, this, [this, language] {
            chooseLanguage(language->data().toString());
            statusBar()->showMessage(
                tr("From the next start: %1").arg(language->text().remove(u'&')), kReadable);
        });
    }
}

void MainWindow::connectJob() {
    connect(jobs_, &JobController::failed, this,
            [this](const Error& error) { showNotice(noticeOf(error)); });
    connect(&jobs_->editor(), &JobEditor::changed, this, &MainWindow::showSituation);
    connect(&jobs_->editor(), &JobEditor::fileStateChanged, this, &MainWindow::showSituation);
    connect(&jobs_->editor(), &JobEditor::opened, notice_, &NoticeBar::clear);
    connect(jobs_, &JobController::recovered, recoveryNotice_, &NoticeBar::clear);
    connect(&jobs_->recent(), &RecentJobs::changed, actions_, &WindowActions::setRecentJobs);
    connect(&jobs_->recent(), &RecentJobs::changed, homePage_, &HomePage::setRecentJobs);
    connect(&jobs_->store(), &JobStore::recoveryFound, this, &MainWindow::offerRecovery);
    actions_->setRecentJobs(jobs_->recent().paths());
    homePage_->setRecentJobs(jobs_->recent().paths());
    connect(&jobs_->editor(), &JobEditor::opened, this, [this] {
        if (stack_->currentWidget() == homePage_) showPage(Page::Job);
    });
}

void MainWindow::connectRun() {
    connect(runs_, &RunController::noticeRaised, this, &MainWindow::showNotice);
    connect(&consent_, &ConsentGate::needed, this,
            [this](quint64 id, ConsentDialog::Action action, const QString& fileName,
                   const QStringList& effects) {
                auto* dialog = new ConsentDialog(action, fileName, effects, this);
                connect(dialog, &QDialog::accepted, &consent_, [this, id] { consent_.agree(id); });
                dialog->open();
            });
    connect(runs_, &RunController::alreadyFollowed, this, [this] { showPage(Page::Live); });
    connect(&bridge_, &SessionBridge::openingStarted, notice_, &NoticeBar::clear);
    connect(&bridge_, &SessionBridge::openingStarted, liveRuns_, &LiveRunsOffer::withdraw);
    connect(&bridge_, &SessionBridge::openingStarted, this, &MainWindow::showSituation);
    drills_ = new DrillDesk(bridge_, *actions_->drill, *notice_, this);
    connect(&now_->replicas(), &ReplicasPage::drillRequested, drills_,
            [this](int process) { drills_->open(process); });
    connect(warnings_, &RunWarnings::logRequested, this, [this] { showPage(Page::Logs); });
    connect(stuck_, &StuckNotice::waitLongerRequested, &bridge_, &SessionBridge::waitLonger);
    connect(stuck_, &StuckNotice::endRequested, &bridge_, &SessionBridge::kill);
    if (away_) connect(away_, &AwayNotices::windowRequested, this, &MainWindow::comeToFront);
    connect(liveRuns_, &LiveRunsOffer::chosen, this,
            [this](const QString& runDir) { runs_->attach(runDir.toStdString()); });
    connect(&bridge_, &SessionBridge::openingFailed, this, &MainWindow::showSituation);
    connect(&bridge_, &SessionBridge::stopRequested, this, &MainWindow::showSituation);
    connect(&bridge_, &SessionBridge::sessionOpened, this, [this] {
        emptyPages();
        const QWidget* shown = stack_->currentWidget();
        if (shown == homePage_ || shown == jobPage_ || shown == runsPage_) showPage(Page::Live);
    });
    connect(&bridge_, &SessionBridge::sessionReleased, this, [this] {
        emptyPages();
        showSituation();
    });
    connect(&bridge_, &SessionBridge::viewChanged, this, &MainWindow::showView);
    connect(&bridge_, &SessionBridge::stepsArrived, now_.get(), &RunPages::addSteps);
    connect(&bridge_, &SessionBridge::scalarsArrived, now_.get(), &RunPages::addScalars);
    connect(&bridge_, &SessionBridge::heartbeatsArrived, &now_->live(), &LivePage::addHeartbeats);
    connect(&bridge_, &SessionBridge::loadsArrived, &now_->live(), &LivePage::addLoads);
    connect(&bridge_, &SessionBridge::logPulled, &now_->log(), &LogModel::follow);
    hear(*now_);
    connect(&bridge_, &SessionBridge::runEnded, this, &MainWindow::refreshRuns);
    connect(&bridge_, &SessionBridge::runEnded, homePage_, &HomePage::refresh);
}

void MainWindow::connectPages() {
    connect(header_, &HeaderBar::launchClicked, runs_, &RunController::launch);
    connect(header_, &HeaderBar::resumeClicked, runs_, &RunController::resume);
    connect(header_, &HeaderBar::stopClicked, &bridge_, &SessionBridge::requestStop);
    connect(header_, &HeaderBar::killClicked, &bridge_, &SessionBridge::kill);
    jobPage_->samples().setReader(services_.makeDataCard);
    jobPage_->setColumnsReader(services_.columnsOfTable);
    now_->evaluator().scores().setKeeper(services_.keepCheckpoint);
    connect(&now_->evaluator(), &EvaluatorDesk::resumeWanted, runs_, &RunController::resume);
    connect(&now_->evaluator(), &EvaluatorDesk::startWanted, this, [this](const QString& weights) {
        if (const View view = bridge_.view()) jobs_->openJobFrom(*view, weights);
    });
    connect(jobs_, &JobController::begun, this, [this] { showPage(Page::Job); });
    jobPage_->model().legend().setMeasure(services_.timeLayers);
    connect(&dataCheck_, &DataCheck::factsFound, &jobPage_->network(), &Network::setFacts);
    connect(jobPage_, &JobPage::openRequested, jobs_, &JobController::chooseAndOpen);
    connect(jobPage_, &JobPage::openExampleRequested, jobs_, &JobController::openExample);
    connect(homePage_, &HomePage::openRequested, jobs_, &JobController::chooseAndOpen);
    connect(homePage_, &HomePage::openExampleRequested, jobs_, &JobController::openExample);
    connect(homePage_, &HomePage::openRunRequested, this, &MainWindow::chooseRunFolder);
    connect(homePage_, &HomePage::starterRequested, jobs_, &JobController::openStarter);
    connect(homePage_, &HomePage::recentJobChosen, jobs_, &JobController::open);
    connect(homePage_, &HomePage::allRunsRequested, this, [this] { showPage(Page::Runs); });
    connect(homePage_, &HomePage::runChosen, this,
            [this](const QString& runDir) { runs_->attach(runDir.toStdString()); });
    connect(jobPage_, &JobPage::runsJobRequested, this, &MainWindow::showRunsJob);
    connect(runsPage_, &RunsPage::jobRequested, jobs_, &JobController::openJobIn);
    connect(runsPage_, &RunsPage::refreshRequested, this, &MainWindow::refreshRuns);
    connect(runsPage_, &RunsPage::placeChangeRequested, this, &MainWindow::changePlace);
    connect(runsPage_, &RunsPage::placeResetRequested, this, [this] { placeRuns({}); });
    connect(runsPage_, &RunsPage::runChosen, this,
            [this](const QString& runDir) { runs_->attach(runDir.toStdString()); });
}

void MainWindow::connectHosts() {
    HostCheckCard& card = jobPage_->hosts();
    connect(actions_->checkHosts, &QAction::triggered, this, &MainWindow::checkHosts);
    connect(&card, &HostCheckCard::checkRequested, this, &MainWindow::checkHosts);
    connect(&card, &HostCheckCard::cancelRequested, &doctor_, &DoctorBridge::cancel);
    connect(&doctor_, &DoctorBridge::started, &card, &HostCheckCard::showStarted);
    connect(&doctor_, &DoctorBridge::viewChanged, &card, &HostCheckCard::showReport);
    connect(&doctor_, &DoctorBridge::failed, &card, &HostCheckCard::showFailure);
    connect(&doctor_, &DoctorBridge::viewChanged, this, [this](const HostReport& report) {
        if (report && report->running) return;
        jobPage_->refresh();
        showSituation();
    });
    connect(&jobs_->editor(), &JobEditor::opened, &doctor_, &DoctorBridge::forget);
}

}  // namespace lockstep::ui
