// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/lane_card.h"

#include <QToolButton>
#include <QVBoxLayout>

#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/models/words.h"
#include "ui/pages/live/step_timeline.h"
#include "ui/style/icons.h"
#include "ui/widgets/phase_legend.h"

namespace lockstep::ui {

LaneCard::LaneCard(QWidget* page)
    : Card({}, page),
      heartbeats_(new HeartbeatChart(this)),
      steps_(new StepTimeline(page)),
      legend_(new PhaseLegend(this)),
      fold_(makeButton("heartbeatFold")),
      maximize_(makeButton("maximizeLanes")) {
    heartbeats_->setObjectName(QStringLiteral("heartbeatChart"));
    QStringList phases;
    for (int phase = 0; phase <= int(job::Phase::Program); ++phase)
        phases << phaseName(job::Phase(phase));
    heartbeats_->setPhaseNames(phases);
    legend_->setObjectName(QStringLiteral("heartbeatLegend"));
    connect(heartbeats_, &HeartbeatChart::phasesSeenChanged, this, &LaneCard::showLegend);
    connect(heartbeats_, &HeartbeatChart::followChanged, this, &LaneCard::followChanged);
    showLegend();
    connect(steps_, &StepTimeline::wantedChanged, this, &LaneCard::matchLanes);
    connect(steps_->chart(), &TimelineChart::followChanged, this, &LaneCard::followChanged);
    addTitleWidget(legend_);
    addTitleWidget(steps_->legend());
    for (QWidget* button : {steps_->toggle(), fold_, maximize_})
        addHeadWidget(button);
    connect(fold_, &QToolButton::clicked, this, [this] {
        isFolded_ = !isFolded_;
        if (isFolded_ && isMaximized_) maximize(false);
        matchLanes();
    });
    connect(maximize_, &QToolButton::clicked, this, [this] { maximize(!isMaximized_); });
    body()->addWidget(heartbeats_);
    body()->addWidget(steps_->chart());
    matchLanes();
}

QToolButton* LaneCard::makeButton(const char* name) {
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

bool LaneCard::isFollowing() const {
    return steps_->isWanted() ? steps_->chart()->isFollowing() : heartbeats_->isFollowing();
}

void LaneCard::follow() {
    heartbeats_->setFollow(true);
    steps_->chart()->setFollow(true);
}

void LaneCard::lookLike(const LaneCard& other) {
    isFolded_ = other.isFolded_;
    if (isMaximized_ != other.isMaximized_)
        maximize(other.isMaximized_);
    else
        matchLanes();
}

void LaneCard::maximize(bool on) {
    isMaximized_ = on;
    if (on) isFolded_ = false;
    heartbeats_->setRoomy(on);
    steps_->chart()->setRoomy(on);
    matchLanes();
    Q_EMIT maximizedChanged();
}

void LaneCard::matchLanes() {
    const bool steps = steps_->isWanted();
    const bool on = !isFolded_;
    setTitle(steps ? tr("Steps of the processes") : tr("Heartbeats of the processes"));
    // What goes before what comes: the page shall not need room for both.
    QWidget* gone = steps ? static_cast<QWidget*>(heartbeats_) : steps_->chart();
    QWidget* shown = steps ? static_cast<QWidget*>(steps_->chart()) : heartbeats_;
    gone->hide();
    shown->setVisible(on);
    legend_->setVisible(!steps);
    steps_->legend()->setVisible(steps);
    fold_->setIcon(makeIcon(on ? Icon::ChevronDown : Icon::ChevronUp));
    if (steps)
        fold_->setToolTip(on ? tr("Hide the steps") : tr("Show the steps"));
    else
        fold_->setToolTip(on ? tr("Hide the heartbeats") : tr("Show the heartbeats"));
    fold_->setAccessibleName(steps ? tr("Show or hide the steps")
                                   : tr("Show or hide the heartbeats"));
    const QString verb = isMaximized_ ? tr("Show the charts, too") : tr("Show only these lanes");
    maximize_->setIcon(makeIcon(isMaximized_ ? Icon::Restore : Icon::Maximize));
    maximize_->setToolTip(isMaximized_ ? tr("%1 (Esc)").arg(verb) : verb);
    maximize_->setShortcut(isMaximized_ ? QKeySequence(Qt::Key_Escape) : QKeySequence());
    maximize_->setAccessibleName(title() + QStringLiteral(": ") + verb);
    Q_EMIT followChanged();
}

/// The phases that have come, and what a silence and a loss look like.
void LaneCard::showLegend() {
    QVector<PhaseLegend::Entry> entries;
    for (int phase = 0; phase <= int(job::Phase::Program); ++phase) {
        if ((heartbeats_->phasesSeen() >> phase & 1U) != 0)
            entries.push_back({phaseName(job::Phase(phase)), phase});
    }
    entries.push_back({tr("silent"), PhaseLegend::kSilent});
    entries.push_back({tr("lost"), PhaseLegend::kLost});
    legend_->setEntries(std::move(entries));
}

}  // namespace lockstep::ui
