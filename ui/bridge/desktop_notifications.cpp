// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/desktop_notifications.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>
#include <QVariantMap>
#include <utility>

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
    bus_.connect(kService, kPath, kService, QStringLiteral("ActivationToken"), this,
                 SLOT(takeToken(uint, QString)));
    bus_.connect(kService, kPath, kService, QStringLiteral("ActionInvoked"), this,
                 SLOT(takeAction(uint, QString)));
    bus_.connect(kService, kPath, kService, QStringLiteral("NotificationClosed"), this,
                 SLOT(takeClosed(uint)));
}

void DesktopNotifications::show(const QString& title, const QString& body, bool isUrgent) {
    if (!bus_.isConnected()) return;
    waiting_ = Notice{title, body, isUrgent};
    isWithdrawn_ = false;
    if (!isUnderWay_) askForCapabilities();
}

/// Every time: another desktop may have taken over meanwhile.
void DesktopNotifications::askForCapabilities() {
    isUnderWay_ = true;
    auto* asked = new QDBusPendingCallWatcher(bus_.asyncCall(callOf("GetCapabilities")), this);
    connect(asked, &QDBusPendingCallWatcher::finished, this, [this, asked] {
        const QDBusPendingReply<QStringList> reply = *asked;
        asked->deleteLater();
        const std::optional<Notice> notice = std::exchange(waiting_, std::nullopt);
        if (notice && reply.isValid())
            send(*notice, reply.value().contains(QStringLiteral("body-markup")));
        else
            goOn();
    });
}

void DesktopNotifications::send(const Notice& notice, bool hasMarkup) {
    constexpr uchar kNormal = 1;
    constexpr uchar kCritical = 2;
    const QVariantMap hints{
        {QStringLiteral("urgency"), QVariant::fromValue(notice.isUrgent ? kCritical : kNormal)},
        {QStringLiteral("desktop-entry"), QStringLiteral("io.lockstep.Lockstep")}};
    QDBusMessage call = callOf("Notify");
    call << QStringLiteral("Lockstep") << shown_ << QStringLiteral("io.lockstep.Lockstep")
         << notice.title << (hasMarkup ? notice.body.toHtmlEscaped() : notice.body)
         << QStringList{kDefaultAction, tr("Show")} << hints << -1;
    auto* sent = new QDBusPendingCallWatcher(bus_.asyncCall(call), this);
    connect(sent, &QDBusPendingCallWatcher::finished, this, [this, sent] {
        const QDBusPendingReply<uint> reply = *sent;
        if (reply.isValid()) shown_ = reply.value();
        sent->deleteLater();
        goOn();
    });
}

void DesktopNotifications::goOn() {
    isUnderWay_ = false;
    if (waiting_)
        askForCapabilities();
    else if (isWithdrawn_)
        close();
}

void DesktopNotifications::withdraw() {
    waiting_.reset();
    isWithdrawn_ = true;
    if (!isUnderWay_) close();
}

void DesktopNotifications::close() {
    isWithdrawn_ = false;
    if (shown_ == 0) return;
    QDBusMessage call = callOf("CloseNotification");
    call << shown_;
    bus_.asyncCall(call);
    shown_ = 0;
}

/// Without it a Wayland desktop raises no window: Qt hands it on with the next request.
void DesktopNotifications::takeToken(uint id, const QString& token) {
    if (id == shown_) qputenv("XDG_ACTIVATION_TOKEN", token.toUtf8());
}

void DesktopNotifications::takeAction(uint id, const QString& action) {
    if (id == shown_ && action == kDefaultAction) Q_EMIT activated();
}

void DesktopNotifications::takeClosed(uint id) {
    if (id == shown_) shown_ = 0;
}

}  // namespace lockstep::ui
