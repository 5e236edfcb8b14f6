// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>

#include "core/job/doctor.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/job_services.h"

namespace lockstep::ui {

/// The only object that talks to a job::Doctor: starts one, looks ten times a second, announces
/// what is new. Belongs to the UI thread; no call waits: a doctor whose connections are still being
/// opened is let go on another thread.
class DoctorBridge final : public QObject {
    Q_OBJECT
public:
    explicit DoctorBridge(JobServices services, QObject* parent = nullptr);
    ~DoctorBridge() override;

    /// Examines the hosts of a job; one that goes on is cancelled.
    void start(const std::string& jobToml, const std::filesystem::path& jobFolder,
               const job::DoctorOptions& options);
    void cancel();
    /// Forgets what was found: another job is open.
    void forget();

    [[nodiscard]] bool isRunning() const { return starting_.isBusy() || (view_ && view_->running); }
    /// Null before the first examination.
    [[nodiscard]] std::shared_ptr<const job::DoctorView> view() const { return view_; }

Q_SIGNALS:
    void started();
    void viewChanged(const std::shared_ptr<const lockstep::job::DoctorView>& view);
    /// The job itself is wrong.
    void failed(const lockstep::Error& error);

private:
    void adopt(JobServices::StartedDoctor outcome);
    void letGo();
    void look();

    JobServices services_;
    BackgroundTask starting_;
    std::unique_ptr<job::Doctor> doctor_;
    std::shared_ptr<const job::DoctorView> view_;
    QTimer timer_;
};

}  // namespace lockstep::ui
