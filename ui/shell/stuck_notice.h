// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>

#include "core/job/fold/session.h"

namespace lockstep::ui {

class NoticeBar;

/// A run that is stuck is ended when its job says so (launch.on_stuck): what holds it up, a running
/// countdown, and the two ways to decide oneself. Gone as soon as the run moves on.
class StuckNotice final : public QObject {
    Q_OBJECT
public:
    /// `now`: seconds since 1970.
    StuckNotice(NoticeBar& notice, std::function<double()> now, QObject* parent);

    void showView(const job::RunView& view);
    /// Another run is followed, or none.
    void reset();

Q_SIGNALS:
    void waitLongerRequested();
    void endRequested();

private:
    void showTimeLeft();

    NoticeBar& notice_;
    const std::function<double()> now_;
    QTimer timer_;
    bool keepsSteps_ = false;       ///< A restart goes on from memory (regroup).
    job::RunView::StuckEnd end_{};  ///< wallTime 0: none is shown.
};

}  // namespace lockstep::ui
