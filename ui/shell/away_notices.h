// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "ui/bridge/desktop_notifications.h"
#include "ui/models/run_news.h"

namespace lockstep::ui {

/// Calls who does something else while a run goes on: news are notices of the desktop while no
/// window of this program is in front, and are taken back when one is. Whether it does is a setting
/// of the user's.
class AwayNotices final : public QObject {
    Q_OBJECT
public:
    /// `now`: seconds of a clock that only goes forward.
    AwayNotices(const QDBusConnection& bus, std::function<double()> now, QObject* parent);

    [[nodiscard]] static bool areWanted();
    void setWanted(bool wanted);

    void showView(const job::RunView& view);
    /// Another run is followed, or none.
    void reset();

Q_SIGNALS:
    /// Somebody has clicked on a notice.
    void windowRequested();

private:
    DesktopNotifications desktop_;
    const std::function<double()> now_;
    RunNews news_;
    bool showsTrouble_ = false;  ///< The newest notice says so: it is taken back once it is over.
};

}  // namespace lockstep::ui
