// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include "ui/bridge/data_check.h"
#include "ui/bridge/doctor_bridge.h"
#include "ui/bridge/host_questions.h"
#include "ui/bridge/session_bridge.h"
#include "ui/models/cluster_table_model.h"
#include "ui/models/runs_model.h"
#include "ui/shell/consent_gate.h"
#include "ui/shell/job_controller.h"
#include "ui/shell/primary_verb.h"
#include "ui/shell/run_controller.h"
#include "ui/shell/run_pages.h"
#include "ui/style/theme.h"

class QStackedWidget;

namespace lockstep::ui {

class AwayNotices;
class ChartVerbs;
class DrillDesk;
class HeaderBar;
class HomePage;
class JobPage;
class LiveRunsOffer;
class NavigationRail;
class NoticeColumn;
class RunWarnings;
class StuckNotice;
class RunsPage;
class StatusLine;
class TimeBar;
class TimeTravel;
class WindowActions;

/// The frame: places the pages and joins them with the job that is open and the run that is
/// followed. Knows no details of either.
class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    enum class Page { Home, Job, Live, Replicas, Evaluator, Logs, Runs, Count };

    struct Options {
        QString openJob;       ///< A job file to open.
        QString attachRunDir;  ///< A run to follow.
        QString startPage;     ///< home | job | live | replicas | evaluator | logs | runs; empty:
                               ///< home without a job and a run.
        QString exampleJob;    ///< What Open example opens.
        QString startersFolder{};  ///< Of the jobs that File, New offers.
        QString stateFolder;       ///< For the autosave; empty: $XDG_STATE_HOME/lockstep.
        RunPlaces places;
        bool callsBack =
            false;  ///< News of runs are notices of the desktop while it is not in front.
    };

    MainWindow(JobServices services, const Options& options);
    ~MainWindow() override;

    void showPage(Page page);
    /// Shows it, and its first control takes the keyboard.
    void goToPage(Page page);
    [[nodiscard]] JobController& jobs() { return *jobs_; }
    [[nodiscard]] SessionBridge& bridge() { return bridge_; }
    [[nodiscard]] TimeTravel& travel() { return *travel_; }
    /// Those of the present, and of the past that is looked at; null: it is not.
    [[nodiscard]] RunPages& presentPages() { return *now_; }
    [[nodiscard]] RunPages* pastPages() { return past_.get(); }

Q_SIGNALS:
    /// The window closed and a detached run goes on: to be said on the terminal.
    void runLeftBehind(const QString& sentence);

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildPages();
    void buildRail();
    void buildFrame();
    void connectActions();
    void connectJob();
    void connectRun();
    void connectPast();
    void connectPages();
    void connectHosts();
    void checkHosts();
    void start(const Options& options);
    void emptyPages();
    void showView(const View& view);
    void enterPast();
    void leavePast();
    void showPast(const View& view);
    void placePages(RunPages& pages);
    void hear(const RunPages& pages);
    void showMoment(double wallTime);
    [[nodiscard]] RunPages& shownPages() const;
    [[nodiscard]] View shownView() const;
    void matchActions();
    void showRunsJob();
    [[nodiscard]] bool showsOtherJob() const;
    void showSituation();
    void showFailureInLog();
    void showNotice(const NoticeBar::Notice& notice);
    void offerRecovery(const JobStore::Recovery& recovery);
    void applyThemeChoice(int mode);
    void comeToFront();
    void refreshRuns();
    void refreshPlace();
    void changePlace();
    void placeRuns(const std::filesystem::path& folder);
    void chooseRunFolder();
    void openPath(const QString& path);
    void restoreWindow();
    [[nodiscard]] bool mayLeaveRun();
    [[nodiscard]] RunSituation situation() const;
    [[nodiscard]] QString jobName() const;

    HostQuestions questions_;
    JobServices services_;
    std::filesystem::path runsFolder_;  ///< This window's own; empty: as everywhere.
    QString place_;                     ///< Where the next run comes to lie.
    SessionBridge bridge_;
    DoctorBridge doctor_;
    ConsentGate consent_;
    RunsModel runsModel_;
    BackgroundTask listingRuns_;
    BackgroundTask findingPlace_;
    BackgroundTask choosingPlace_;
    JobController* jobs_;
    DataCheck dataCheck_;
    RunController* runs_;
    ClusterTableModel* clusterModel_;
    WindowActions* actions_;
    NavigationRail* rail_ = nullptr;
    HeaderBar* header_ = nullptr;
    NoticeBar* notice_ = nullptr;
    NoticeBar* liveRunsNotice_ = nullptr;
    NoticeBar* warningNotice_ = nullptr;
    NoticeBar* stuckBar_ = nullptr;
    NoticeBar* recoveryNotice_ = nullptr;
    LiveRunsOffer* liveRuns_ = nullptr;
    RunWarnings* warnings_ = nullptr;
    StuckNotice* stuck_ = nullptr;
    DrillDesk* drills_ = nullptr;
    AwayNotices* away_ = nullptr;  ///< Null: nobody is called back.
    StatusLine* status_ = nullptr;
    NoticeColumn* notices_ = nullptr;  ///< Of the present.
    NoticeBar* pastNotice_ = nullptr;
    TimeBar* timeBar_ = nullptr;
    TimeTravel* travel_ = nullptr;
    ChartVerbs* chartVerbs_ = nullptr;
    std::unique_ptr<RunPages> now_;
    std::unique_ptr<RunPages> past_;  ///< Null in the present.
    QStackedWidget* stack_ = nullptr;
    HomePage* homePage_ = nullptr;
    JobPage* jobPage_ = nullptr;
    RunsPage* runsPage_ = nullptr;
};

}  // namespace lockstep::ui
