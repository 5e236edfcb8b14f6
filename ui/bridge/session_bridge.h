// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/job/fold/session.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/job_services.h"
#include "ui/bridge/untold_steps.h"

namespace lockstep::ui {

using View = std::shared_ptr<const job::RunView>;

/// The only object that talks to a job::Session. Opens one on a worker thread, then pulls what
/// has arrived on the beat of the window (twice a second while it is hidden) and announces it.
/// Everything here belongs to the UI thread; no call waits.
class SessionBridge final : public QObject {
    Q_OBJECT
public:
    explicit SessionBridge(JobServices services, QObject* parent = nullptr);
    ~SessionBridge() override;

    /// Starts a job and follows it. Ignored while another one is being opened.
    void launch(const std::string& jobToml, const std::filesystem::path& jobFolder,
                const job::LaunchOptions& options);
    /// Follows the run of a folder. Ignored while another one is being opened. `agreed`: the
    /// effects of it that the user was shown.
    void attach(const std::filesystem::path& runDir, const std::vector<std::string>& agreed = {});
    /// Lets the present run go (a detached one goes on by itself).
    void release();

    /// Ends after the step in flight; a second request ends the processes now.
    void requestStop();
    void kill();
    /// Gives a run that is stuck another grace time.
    void waitLonger();
    /// Makes a fault on purpose; the view tells what becomes of it.
    void drill(const job::DrillOrder& order);

    void setHidden(bool hidden);

    /// Null while there is no run.
    [[nodiscard]] View view() const { return view_; }
    [[nodiscard]] bool isOpening() const { return opening_.isBusy(); }
    [[nodiscard]] bool hasSession() const { return session_ != nullptr; }
    /// True between a request to stop and the end of the run.
    [[nodiscard]] bool isStopRequested() const { return stopRequested_; }
    /// A run of ours that has not ended.
    [[nodiscard]] bool isRunning() const;

Q_SIGNALS:
    void openingStarted();
    /// A session is there; charts and tables of the former one are to be emptied.
    void sessionOpened();
    void openingFailed(const lockstep::Error& error);
    void sessionReleased();
    void stopRequested();
    void viewChanged(const lockstep::ui::View& view);
    void stepsArrived(const std::vector<lockstep::job::StepColumns>& steps);
    void scalarsArrived(const std::vector<lockstep::job::ScalarColumns>& scalars);
    void heartbeatsArrived(const std::vector<lockstep::job::HeartbeatMark>& marks);
    void loadsArrived(const std::vector<lockstep::job::LoadMark>& marks);
    /// The run's log, which may have grown; null: there is none any more.
    void logPulled(const std::shared_ptr<const lockstep::job::LogBook>& book);
    /// The run reached its end; once a session.
    void runEnded(const lockstep::ui::View& view);

private:
    void open(std::function<JobServices::OpenedSession()> work);
    void adopt(JobServices::OpenedSession opened);
    void pull();
    void tell();
    void startTimer();

    JobServices services_;
    BackgroundTask opening_;
    std::unique_ptr<job::Session> session_;
    View view_;
    UntoldSteps untold_;
    bool isBehind_ = false;  ///< There is more history than was taken.
    QTimer timer_;           ///< Goes off once, and is started again after each pull.
    bool hasPoints_ = false;
    bool isHidden_ = false;
    bool stopRequested_ = false;
    bool endAnnounced_ = false;
};

}  // namespace lockstep::ui
