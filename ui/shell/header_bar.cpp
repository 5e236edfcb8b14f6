// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/header_bar.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <algorithm>

#include "ui/models/words.h"
#include "ui/style/units.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/state_pill.h"

namespace lockstep::ui {
namespace {

constexpr int kButtonWidth = 120;

StateMark markOfView(const job::RunView& view) {
    const QString word = runStateName(view.state);
    switch (view.state) {
        case job::RunState::Completed:
            return {word, Icon::Check, Tone::Good};
        case job::RunState::Failed:
            return {word, Icon::Error, Tone::Bad};
        case job::RunState::Stopped:
            return {word, Icon::Stop, Tone::Neutral};
        default:
            break;
    }
    if (view.verdictSeverity == 4) return {HeaderBar::tr("Slow"), Icon::Warning, Tone::Warn};
    if (view.verdictSeverity == 3) return {HeaderBar::tr("Replica lost"), Icon::Error, Tone::Bad};
    if (view.verdictSeverity == 2) return {HeaderBar::tr("Stuck"), Icon::Warning, Tone::Bad};
    if (view.verdictSeverity == 1) return {HeaderBar::tr("Silent"), Icon::Warning, Tone::Warn};
    const bool isMoving = view.state == job::RunState::Training ||
                          view.state == job::RunState::Validating ||
                          view.state == job::RunState::Testing;
    return {word, isMoving ? Icon::Live : Icon::Waiting, Tone::Accent};
}

}  // namespace

StateMark markOf(const RunSituation& situation) {
    if (situation.opening) return {HeaderBar::tr("Opening"), Icon::Waiting, Tone::Accent};
    if (situation.view) return markOfView(*situation.view);
    if (!situation.hasJob) return {HeaderBar::tr("No job"), Icon::Job, Tone::Neutral};
    if (situation.jobHasErrors) return {HeaderBar::tr("Has problems"), Icon::Error, Tone::Bad};
    if (situation.hostsInTheWay)
        return {HeaderBar::tr("Hosts not ready"), Icon::Warning, Tone::Warn};
    return {HeaderBar::tr("Ready"), Icon::Check, Tone::Good};
}

ReplicaBadge replicaBadge(int verdictSeverity) {
    switch (verdictSeverity) {
        case 0:
            return {};
        case 1:
            return {Tone::Warn, HeaderBar::tr("a replica is silent")};
        case 4:
            return {Tone::Warn, HeaderBar::tr("a replica makes the others wait")};
        default:
            return {Tone::Bad, HeaderBar::tr("a replica needs attention")};
    }
}

QString progressText(const job::RunView& view) {
    QStringList parts;
    if (view.totalSteps <= 0)  // a user's own program need not say how many there are
        return view.step > 0 ? HeaderBar::tr("step %1").arg(units::count(view.step)) : QString();
    if (view.epochs > 0 && view.stepsPerEpoch > 0) {
        const int epoch = std::min(view.epoch(), view.epochs);
        parts
            << HeaderBar::tr("Epoch %1 of %2").arg(units::count(epoch), units::count(view.epochs));
    }
    parts << HeaderBar::tr("step %1 of %2")
                 .arg(units::count(view.step), units::count(view.totalSteps));
    if (isEnded(view.state)) {
        if (view.ranSeconds > 0)
            parts << HeaderBar::tr("took %1").arg(units::duration(view.ranSeconds));
    } else if (view.etaSeconds >= 0) {
        parts << HeaderBar::tr("%1 left").arg(units::duration(view.etaSeconds));
    }
    return parts.join(QStringLiteral("  ·  "));
}

double progressFraction(const job::RunView& view) {
    if (view.totalSteps <= 0) return isEnded(view.state) ? 0 : -1;
    return std::clamp(double(view.step) / double(view.totalSteps), 0.0, 1.0);
}

QString windowTitleOf(const RunSituation& situation, const QString& jobName,
                      const QString& fileName) {
    const QString program = HeaderBar::tr("Lockstep");
    if (situation.view) {
        const double fraction = progressFraction(*situation.view);
        const bool moving = !isEnded(situation.view->state) && fraction >= 0;
        const QString state =
            moving ? units::percent(fraction, 0) : runStateName(situation.view->state);
        return QStringLiteral("%1 – %2[*] – %3").arg(state, jobName, program);
    }
    return situation.hasJob ? QStringLiteral("%1[*] – %2").arg(fileName, program) : program;
}

HeaderBar::HeaderBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("headerBar"));
    buildLabels();
    buildButtons();
    buildLayout();
}

void HeaderBar::buildLabels() {
    name_ = new ElidedLabel(tr("Lockstep"), this);
    name_->setObjectName(QStringLiteral("jobName"));
    name_->setFont(titleFont());
    name_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    pill_ = new StatePill(this);
    pill_->setObjectName(QStringLiteral("statePill"));
    progress_ = new ElidedLabel({}, this);
    progress_->setObjectName(QStringLiteral("progressText"));
    progress_->setSecondary(true);
    progress_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    strip_ = new ProgressStrip(this);
    strip_->setObjectName(QStringLiteral("progressStrip"));
    strip_->setAccessibleName(tr("Progress of the run"));
}

void HeaderBar::buildButtons() {
    launch_ = new QPushButton(this);
    launch_->setObjectName(QStringLiteral("launchButton"));
    launch_->setProperty("primary", true);
    stop_ = new QPushButton(this);
    stop_->setObjectName(QStringLiteral("stopButton"));
    stop_->setProperty("danger", true);
    for (QPushButton* button : {launch_, stop_})
        button->setMinimumWidth(kButtonWidth);
    connect(launch_, &QPushButton::clicked, this, [this] {
        if (verb_ == Verb::Resume)
            Q_EMIT resumeClicked();
        else
            Q_EMIT launchClicked();
    });
    connect(stop_, &QPushButton::clicked, this, [this] {
        if (verb_ == Verb::Kill)
            Q_EMIT killClicked();
        else
            Q_EMIT stopClicked();
    });
}

void HeaderBar::buildLayout() {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    row->setSpacing(2 * kGrid);
    row->addWidget(name_);
    row->addWidget(pill_);
    row->addWidget(progress_, 1);
    row->addWidget(launch_);
    row->addWidget(stop_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(strip_);
}

void HeaderBar::setJobName(const QString& name) {
    name_->setText(name);
}

void HeaderBar::showSituation(const RunSituation& situation) {
    const StateMark mark = markOf(situation);
    pill_->setState(mark.word, mark.icon, mark.tone);
    progress_->setText(situation.view ? progressText(*situation.view) : QString());
    strip_->setFraction(situation.view      ? progressFraction(*situation.view)
                        : situation.opening ? -1
                                            : 0);
    strip_->setTone(mark.tone == Tone::Neutral ? Tone::Accent : mark.tone);
    showButtons(primaryButton(situation));
}

void HeaderBar::showButtons(const ButtonState& state) {
    const QColor ink = Theme::of(this).accentText;
    if (shown_ == state && ink == buttonInk_) return;
    shown_ = state;
    buttonInk_ = ink;
    verb_ = state.verb;
    const bool stops = state.verb == Verb::Stop || state.verb == Verb::Kill;
    QPushButton* shown = stops ? stop_ : launch_;
    QPushButton* other = stops ? launch_ : stop_;
    keepFocus_ |= other->hasFocus() || (shown->hasFocus() && !state.enabled);
    if (keepFocus_ && !state.enabled) launch_->clearFocus();  // else it goes to the next widget
    shown->setText(state.text);
    shown->setToolTip(state.toolTip);
    shown->setEnabled(state.enabled);
    shown->setIcon(stops ? makeIcon(Icon::Stop, Tone::Bad)
                         : makeIcon(state.verb == Verb::Resume ? Icon::Resume : Icon::Launch, ink));
    shown->show();
    other->hide();
    if (keepFocus_ && state.enabled) {
        shown->setFocus();
        keepFocus_ = false;
    }
}

}  // namespace lockstep::ui
