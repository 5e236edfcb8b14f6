// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "core/job/fold/session.h"
#include "ui/bridge/background_task.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {

/// Runs that were left when a window closed are offered when the next one is opened.
class LiveRunsOffer final : public QObject {
    Q_OBJECT
public:
    /// `find` gives the runs of this user, on a worker thread; where it is missing nothing is
    /// offered.
    LiveRunsOffer(NoticeBar& notice, std::function<std::vector<job::RunEntry>()> find,
                  QObject* parent);

    void look();
    /// A run is followed now.
    void withdraw();

Q_SIGNALS:
    void chosen(const QString& runDir);

private:
    void offer(const std::vector<job::RunEntry>& runs);

    NoticeBar& notice_;
    std::function<std::vector<job::RunEntry>()> find_;
    BackgroundTask looking_;
};

}  // namespace lockstep::ui
