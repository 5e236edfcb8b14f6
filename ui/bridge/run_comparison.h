// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "ui/bridge/background_task.h"
#include "ui/bridge/job_services.h"
#include "ui/bridge/session_bridge.h"
#include "ui/bridge/untold_steps.h"

namespace lockstep::ui {

/// Reads several runs beside each other: those that have ended to their end, those that go on for
/// as long as they are looked at. Nothing is logged in to: a run of another host is read from what
/// lies here, or said to be not readable. UI thread; no call waits.
class RunComparison final : public QObject {
    Q_OBJECT
public:
    using Attach = std::function<JobServices::OpenedSession(const std::filesystem::path& runDir,
                                                            const job::ConnectOptions& options)>;
    explicit RunComparison(Attach attach, QObject* parent = nullptr);
    ~RunComparison() override;

    /// Lets the former ones go.
    void start(const std::vector<std::filesystem::path>& folders);
    void clear();
    /// True until all that the runs have said by now is here.
    [[nodiscard]] bool isReading() const;

Q_SIGNALS:
    // `run`: its place among the folders. The view comes before the steps that it explains.
    void viewChanged(int run, const lockstep::ui::View& view);
    void stepsArrived(int run, const std::vector<lockstep::job::StepColumns>& steps);
    void failed(int run, const lockstep::Error& error);
    /// isReading() may have changed.
    void progressed();

private:
    struct Reading {
        BackgroundTask opening;
        std::unique_ptr<job::Session> session;
        View view;
        UntoldSteps untold;
        bool caughtUp = false;
    };

    void adopt(int run, JobServices::OpenedSession opened);
    void pull();
    bool pull(int run, Reading& reading);
    bool tell(int run, Reading& reading, const QElapsedTimer& time);
    [[nodiscard]] bool stays(int run, const Reading& reading) const;

    Attach attach_;
    std::vector<std::unique_ptr<Reading>> readings_;
    QTimer timer_;
};

}  // namespace lockstep::ui
