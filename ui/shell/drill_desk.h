// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QTimer>
#include <optional>

#include "core/job/fold/drill_watch.h"
#include "ui/bridge/session_bridge.h"

class QAction;
class QWidget;

namespace lockstep::ui {

class DrillPanel;
class NoticeBar;

/// Drills of the run that is followed: the action that opens their panel, and the one that was
/// ordered here, which is seen through whether its panel is open or not.
class DrillDesk final : public QObject {
    Q_OBJECT
public:
    DrillDesk(SessionBridge& bridge, QAction& action, NoticeBar& notice, QWidget* window);

    /// Of all processes, or with this one chosen.
    void open(std::optional<int> process = {});
    /// A drill of this run could be ordered now, or there are some to look at.
    [[nodiscard]] bool isOffered() const;
    void showView();
    /// The window shows the run as it was: nothing is ordered meanwhile, and the panel, which shows
    /// it as it is, is closed.
    void setPast(bool on);
    /// Another run is followed, or none.
    void reset();

private:
    void order(const job::DrillOrder& order);
    void look();
    void noteClosed();

    SessionBridge& bridge_;
    QAction& action_;
    bool isPast_ = false;
    NoticeBar& notice_;
    QWidget* window_;
    QPointer<DrillPanel> panel_;
    std::optional<job::DrillWatch> watch_;
    QTimer beat_;
};

}  // namespace lockstep::ui
