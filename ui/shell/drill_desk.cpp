// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/drill_desk.h"

#include <QAction>
#include <QPushButton>
#include <chrono>

#include "core/base/clock.h"
#include "ui/dialogs/drill_panel.h"
#include "ui/shell/primary_verb.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {
namespace {

constexpr auto kBeat = std::chrono::milliseconds(200);

}  // namespace

DrillDesk::DrillDesk(SessionBridge& bridge, QAction& action, NoticeBar& notice, QWidget* window)
    : QObject(window), bridge_(bridge), action_(action), notice_(notice), window_(window) {
    beat_.setInterval(kBeat);
    beat_.callOnTimeout(this, &DrillDesk::look);
    connect(&action_, &QAction::triggered, this, [this] { open(); });
    showView();
}

bool DrillDesk::isOffered() const {
    const View view = bridge_.view();
    return view && !isPast_ && (bridge_.isRunning() || !view->drills.empty());
}

void DrillDesk::showView() {
    const View view = bridge_.view();
    action_.setEnabled(isOffered());
    action_.setToolTip(isPast_       ? pastObstacle()
                       : isOffered() ? tr("Make a fault on purpose, and see what becomes of it")
                       : view        ? tr("The run is over: a drill needs one that goes on")
                              : tr("No run is followed: launch a job, or open a run that goes on"));
    if (panel_ && view) panel_->showRun(view);
    if (watch_) look();
}

void DrillDesk::setPast(bool on) {
    isPast_ = on;
    if (on && panel_) panel_->close();
    showView();
}

void DrillDesk::reset() {
    watch_.reset();
    beat_.stop();
    if (panel_) panel_->deleteLater();
    panel_ = nullptr;
    showView();
}

void DrillDesk::open(std::optional<int> process) {
    if (!isOffered()) return;
    if (!panel_) {
        panel_ = new DrillPanel(window_);
        panel_->setAttribute(Qt::WA_DeleteOnClose);
        connect(panel_, &DrillPanel::ordered, this, &DrillDesk::order);
        connect(panel_, &QDialog::finished, this, &DrillDesk::noteClosed);
        panel_->showRun(bridge_.view());
        panel_->showWatch(watch_ ? &*watch_ : nullptr);
    }
    if (process) panel_->chooseProcess(*process);
    panel_->show();
    panel_->raise();
    panel_->activateWindow();
}

void DrillDesk::order(const job::DrillOrder& order) {
    watch_.emplace(order, SteadyClock::read());
    beat_.start();
    look();
}

void DrillDesk::look() {
    const View view = bridge_.view();
    if (!watch_ || !view) return;
    const Nanos now = SteadyClock::read();
    watch_->look(*view, now);
    if (watch_->takeAsk(now)) bridge_.drill(watch_->order());
    if (watch_->isOver()) beat_.stop();
    if (panel_) panel_->showWatch(&*watch_);
}

/// What was ordered happens all the same.
void DrillDesk::noteClosed() {
    if (!watch_ || watch_->isOver()) return;
    notice_.showNotice({Tone::Accent,
                        tr("The drill goes on without its panel."),
                        tr("Its news are in the log; Run, Drill shows what becomes of it."),
                        {}});
    QPushButton* again = notice_.addAction(tr("Show the drill"));
    again->setObjectName(QStringLiteral("noticeShowDrill"));
    connect(again, &QPushButton::clicked, this, [this] {
        notice_.clear();
        open();
    });
}

}  // namespace lockstep::ui
