// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>
#include <QObject>
#include <QString>

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
    /// Takes back what is shown: it was seen in the window.
    void withdraw();

Q_SIGNALS:
    /// Somebody has clicked on it.
    void activated();

private Q_SLOTS:
    void takeAction(uint id, const QString& action);
    void takeClosed(uint id);

private:
    void send(const QString& title, const QString& body, bool isUrgent);

    QDBusConnection bus_;
    uint shown_ = 0;  ///< The desktop's number for it; 0: none.
    bool hasMarkup_ = false;
};

}  // namespace lockstep::ui
