// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/time_bar.h"

#include <QComboBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>
#include <array>

#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/elided_label.h"

namespace lockstep::ui {
namespace {

constexpr std::array kSpeeds{0.25, 1.0, 4.0, 16.0, 64.0};
constexpr int kUsualSpeed = 1;

struct Look {
    TimeSlider::Shape shape;
    Tone tone;
};

Look lookOf(job::TimelineMark::Kind kind) {
    using Kind = job::TimelineMark::Kind;
    using Shape = TimeSlider::Shape;
    switch (kind) {
        case Kind::Failure:
            return {Shape::Cross, Tone::Bad};
        case Kind::Checkpoint:
            return {Shape::Ring, Tone::Neutral};
        case Kind::Verdict:
            return {Shape::Triangle, Tone::Warn};
        case Kind::Drill:
            return {Shape::Diamond, Tone::Accent};
        case Kind::Evaluation:
            return {Shape::Dot, Tone::Good};
        case Kind::Start:
        case Kind::End:
            break;
    }
    return {Shape::Tick, Tone::Neutral};
}

}  // namespace

QString momentText(double wallTime) {
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(qint64(wallTime * 1000));
    return time.date() == QDate::currentDate() ? units::timeOfDay(wallTime)
                                               : units::dateAndTime(wallTime);
}

TimeBar::TimeBar(QWidget* parent)
    : QWidget(parent),
      play_(new QToolButton(this)),
      speed_(new QComboBox(this)),
      slider_(new TimeSlider(this)),
      place_(new ElidedLabel({}, this)) {
    setObjectName(QStringLiteral("timeBar"));
    play_->setObjectName(QStringLiteral("timePlay"));
    play_->setAutoRaise(true);
    play_->setFocusPolicy(Qt::StrongFocus);
    connect(play_, &QToolButton::clicked, this, &TimeBar::playClicked);
    speed_->setObjectName(QStringLiteral("timeSpeed"));
    speed_->setAccessibleName(tr("Speed"));
    speed_->setToolTip(tr("How many seconds of the run are played in one"));
    for (const double speed : kSpeeds)
        speed_->addItem(tr("× %1").arg(QString::number(speed)), speed);
    speed_->setCurrentIndex(kUsualSpeed);
    slider_->setObjectName(QStringLiteral("timeSlider"));
    slider_->setAccessibleName(tr("Timeline of the run"));
    place_->setObjectName(QStringLiteral("timePlace"));
    place_->setSecondary(true);
    place_->setElideMode(Qt::ElideRight);
    place_->setMaximumWidth(32 * kGrid);  // why there is no timeline may be long
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2 * kGrid, 0, 2 * kGrid, kGrid / 2);
    layout->setSpacing(kGrid);
    layout->addWidget(play_);
    layout->addWidget(speed_);
    layout->addWidget(slider_, 1);
    layout->addWidget(place_);
    showPlaying(false);
}

double TimeBar::speed() const {
    return speed_->currentData().toDouble();
}

void TimeBar::showTimeline(const job::RunTimeline& timeline) {
    slider_->setSeconds(timeline.seconds());
    showMarks(timeline);
    slider_->setToolTip(timeline.marksLeftOut == 0
                            ? tr("Drag to see the run as it was; a mark says what happened there")
                            : tr("Drag to see the run as it was. Marks that have no room: %1")
                                  .arg(timeline.marksLeftOut));
    setEnabled(true);
}

/// A run that goes on has thousands of old marks and once a second perhaps a new one.
void TimeBar::showMarks(const job::RunTimeline& timeline) {
    const auto [was, is] = std::ranges::mismatch(marks_, timeline.marks);
    const auto known = std::size_t(is - timeline.marks.begin());
    if (was == marks_.end() && is == timeline.marks.end()) return;
    made_.resize(qsizetype(known));
    for (std::size_t i = known; i < timeline.marks.size(); ++i) {
        const job::TimelineMark& mark = timeline.marks[i];
        const Look look = lookOf(mark.kind);
        made_.push_back({timeline.secondsAt(mark.moment.wallTime), look.shape, look.tone,
                         tr("%1, step %2: %3")
                             .arg(momentText(mark.moment.wallTime), units::count(mark.moment.step),
                                  fromCore(mark.sentence)),
                         int(i)});
    }
    marks_ = timeline.marks;
    slider_->setMarks(made_);
}

void TimeBar::showObstacle(const QString& words) {
    setEnabled(false);
    slider_->setSeconds(0);
    slider_->setMarks({});
    marks_.clear();
    made_.clear();
    slider_->setToolTip(words);
    showPlace(words);
}

void TimeBar::showPlace(const QString& words) {
    place_->setText(words);
    slider_->setAccessibleDescription(words);
}

void TimeBar::showPlaying(bool on) {
    play_->setIcon(makeIcon(on ? Icon::Pause : Icon::Launch));
    play_->setAccessibleName(on ? tr("Pause") : tr("Play"));
    play_->setToolTip(on ? tr("Pause") : tr("Play the run from here; from now, its beginning"));
}

}  // namespace lockstep::ui
