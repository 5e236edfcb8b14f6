// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/away_notices.h"

#include <QGuiApplication>
#include <QSettings>
#include <utility>

namespace lockstep::ui {
namespace {

const auto kWantedKey = QStringLiteral("window/notifyWhenAway");

bool isInFront() {
    return QGuiApplication::applicationState() == Qt::ApplicationActive;
}

}  // namespace

AwayNotices::AwayNotices(const QDBusConnection& bus, std::function<double()> now, QObject* parent)
    : QObject(parent), desktop_(bus), now_(std::move(now)) {
    connect(&desktop_, &DesktopNotifications::activated, this, &AwayNotices::windowRequested);
    connect(qGuiApp, &QGuiApplication::applicationStateChanged, this, [this] {
        if (isInFront()) desktop_.withdraw();
    });
}

bool AwayNotices::areWanted() {
    return QSettings().value(kWantedKey, true).toBool();
}

void AwayNotices::setWanted(bool wanted) {
    QSettings().setValue(kWantedKey, wanted);
    if (!wanted) desktop_.withdraw();
}

void AwayNotices::showView(const job::RunView& view) {
    const auto news = news_.take(view, now_());
    if (news && areWanted() && !isInFront()) {
        desktop_.show(news->title, news->body, news->isUrgent());
        showsTrouble_ = news->kind == News::Kind::Trouble || news->kind == News::Kind::Slow;
    } else if (view.verdictSeverity == 0 && std::exchange(showsTrouble_, false)) {
        desktop_.withdraw();
    }
}

void AwayNotices::reset() {
    news_.reset();
    desktop_.withdraw();
}

}  // namespace lockstep::ui
