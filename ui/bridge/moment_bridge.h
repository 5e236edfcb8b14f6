// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/job/timeline/moment_player.h"
#include "core/job/timeline/timeline_reader.h"
#include "ui/bridge/background_task.h"

namespace lockstep::ui {

/// The only object that reads a run's past: where its moments are, and the run as it was at one of
/// them. Everything here belongs to the UI thread and no call waits: journals are read on threads
/// of their own.
class MomentBridge final : public QObject {
    Q_OBJECT
public:
    using Timeline = std::shared_ptr<const job::RunTimeline>;
    using Shown = std::shared_ptr<job::MomentPlayer::Shown>;

    explicit MomentBridge(QObject* parent = nullptr);
    ~MomentBridge() override;

    /// The run of a folder; whatever was of another one is forgotten.
    void follow(const std::filesystem::path& runDir);
    void forget();
    [[nodiscard]] bool hasRun() const { return reading_ != nullptr; }

    /// Reads what has come since; one at a time.
    void refresh();
    /// Null until it was read.
    [[nodiscard]] const Timeline& timeline() const { return timeline_; }

    /// Shows a moment; while another one is being read, the newest wish comes next.
    void show(const job::RunMoment& moment);
    /// Nobody looks at the past any more.
    void endShow();
    [[nodiscard]] bool isShowing() const { return showing_.isBusy(); }

Q_SIGNALS:
    void timelineChanged();
    void timelineFailed(const lockstep::Error& error);
    /// Of reading the timeline for the first time.
    void timelineProgressed(double fraction);
    void momentShown(const lockstep::ui::MomentBridge::Shown& shown);
    void momentFailed(const lockstep::Error& error);
    /// Of a moment that takes a while.
    void momentProgressed(double fraction);

private:
    struct Reading;
    struct Playing;
    void play(const job::RunMoment& moment);
    void tellProgress();

    std::filesystem::path runDir_;
    std::shared_ptr<Reading> reading_;  ///< Shared with the thread that reads.
    std::shared_ptr<Playing> playing_;  ///< Null: nobody has looked at the past.
    Timeline timeline_;
    BackgroundTask refreshing_;
    BackgroundTask showing_;
    std::optional<job::RunMoment> wanted_;
    QElapsedTimer since_;
    QTimer progress_;
};

}  // namespace lockstep::ui
