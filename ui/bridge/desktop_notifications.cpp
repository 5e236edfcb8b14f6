// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/desktop_notifications.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>
#include <QVariantMap>

namespace lockstep::ui {
namespace {

const auto kService = QStringLiteral("org.freedesktop.Notifications");
const auto kPath = QStringLiteral("/org/freedesktop/Notifications");
const auto kDefaultAction = QStringLiteral("default");

QDBusMessage callOf(const char* method) {
    return QDBusMessage::createMethodCall(kService, kPath, kService, QLatin1String(method));
}

}  // namespace

/// Asked for only where it is: to look for one otherwise may start it.
QDBusConnection DesktopNotifications::sessionBus() {
    const bool isThere =
        !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS") ||
        QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
    return isThere ? QDBusConnection::sessionBus() : QDBusConnection(QString());
}

DesktopNotifications::DesktopNotifications(const QDBusConnection& bus, QObject* parent)
    : QObject(parent), bus_(bus) {
    bus_.connect(kService, kPath, kService, QStringLiteral("ActionInvoked"), this,
                 SLOT(takeAction(uint, QString)));
    bus_.connect(kService, kPath, kService, QStringLiteral("NotificationClosed"), this,
                 SLOT(takeClosed(uint)));
}

void DesktopNotifications::show(const QString& title, const QString& body, bool isUrgent) {
    if (!bus_.isConnected()) return;
    auto* asked = new QDBusPendingCallWatcher(bus_.asyncCall(callOf("GetCapabilities")), this);
    connect(asked, &QDBusPendingCallWatcher::finished, this, [=, this] {
        const QDBusPendingReply<QStringList> reply = *asked;
        hasMarkup_ = reply.isValid() && reply.value().contains(QStringLiteral("body-markup"));
        asked->deleteLater();
        if (reply.isValid()) send(title, body, isUrgent);
    });
}

void DesktopNotifications::send(const QString& title, const QString& body, bool isUrgent) {
    constexpr uchar kNormal = 1;
    constexpr uchar kCritical = 2;
    const QVariantMap hints{
        {QStringLiteral("urgency"), QVariant::fromValue(isUrgent ? kCritical : kNormal)},
        {QStringLiteral("desktop-entry"), QStringLiteral("io.lockstep.Lockstep")}};
    QDBusMessage call = callOf("Notify");
    call << QStringLiteral("Lockstep") << shown_ << QStringLiteral("io.lockstep.Lockstep") << title
         << (hasMarkup_ ? body.toHtmlEscaped() : body) << QStringList{kDefaultAction, tr("Show")}
         << hints << -1;
    auto* sent = new QDBusPendingCallWatcher(bus_.asyncCall(call), this);
    connect(sent, &QDBusPendingCallWatcher::finished, this, [this, sent] {
        const QDBusPendingReply<uint> reply = *sent;
        if (reply.isValid()) shown_ = reply.value();
        sent->deleteLater();
    });
}

void DesktopNotifications::withdraw() {
    if (shown_ == 0) return;
    QDBusMessage call = callOf("CloseNotification");
    call << shown_;
    bus_.asyncCall(call);
    shown_ = 0;
}

void DesktopNotifications::takeAction(uint id, const QString& action) {
    if (id == shown_ && action == kDefaultAction) Q_EMIT activated();
}

void DesktopNotifications::takeClosed(uint id) {
    if (id == shown_) shown_ = 0;
}

}  // namespace lockstep::ui
