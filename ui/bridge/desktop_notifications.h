// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>
#include <QObject>
#include <QString>
#include <optional>

namespace lockstep::ui {

/// Shows notices of the desktop (org.freedesktop.Notifications), one at a time: the newest takes
/// the place of the one before. Where no desktop shows any nothing comes of it; the window says
/// the same. Never waits for the bus.
class DesktopNotifications final : public QObject {
    Q_OBJECT
public:
    /// That of this session; not connected where there is none.
    [[nodiscard]] static QDBusConnection sessionBus();

    explicit DesktopNotifications(const QDBusConnection& bus, QObject* parent = nullptr);

    /// `isUrgent`: it stays until somebody has seen it.
    void show(const QString& title, const QString& body, bool isUrgent);
    /// Takes back what is shown, or about to be.
    void withdraw();

Q_SIGNALS:
    /// Somebody has clicked on it.
    void activated();

private Q_SLOTS:
    void takeToken(uint id, const QString& token);
    void takeAction(uint id, const QString& action);
    void takeClosed(uint id);

private:
    struct Notice {
        QString title;
        QString body;
        bool isUrgent = false;
    };
    void askForCapabilities();
    void send(const Notice& notice, bool hasMarkup);
    void close();
    /// Nothing is under way any more.
    void goOn();

    QDBusConnection bus_;
    std::optional<Notice> waiting_;  ///< To be shown once nothing is under way: the newest.
    bool isUnderWay_ = false;        ///< The desktop has not answered yet.
    bool isWithdrawn_ = false;       ///< What is under way has been taken back meanwhile.
    uint shown_ = 0;                 ///< The desktop's number for it; 0: none.
};

}  // namespace lockstep::ui
