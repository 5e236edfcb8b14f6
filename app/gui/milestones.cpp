// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/milestones.h"

#include <QCoreApplication>
#include <QEvent>
#include <cstdio>

#include "ui/charts/surface/live_chart.h"
#include "ui/shell/main_window.h"

namespace lockstep::app {

namespace {

void say(const char* milestone) {
    std::puts(milestone);
    std::fflush(stdout);
}

}  // namespace

Milestones::Milestones(ui::MainWindow& window, QObject* parent) : QObject(parent), window_(window) {
    window.installEventFilter(this);
}

bool Milestones::eventFilter(QObject*, QEvent* event) {
    // What is painted in this event reaches the screen at its end.
    if (event->type() == QEvent::UpdateRequest || event->type() == QEvent::Paint)
        QMetaObject::invokeMethod(this, &Milestones::afterPaint, Qt::QueuedConnection);
    return false;
}

void Milestones::afterPaint() {
    if (!painted_) say("painted");
    painted_ = true;
    const ui::View view = window_.bridge().view();
    if (live_ || !view || !view->connected || !view->caughtUp) return;
    const auto* chart = window_.findChild<ui::LiveChart*>(QStringLiteral("lossChart"));
    live_ =
        chart != nullptr && chart->isVisible() && chart->pointCount() > 0 && chart->hasPicture();
    if (live_) say("live");
}

}  // namespace lockstep::app
