// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/time_travel.h"

#include <QElapsedTimer>
#include <QPushButton>
#include <QShortcut>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "ui/models/words.h"
#include "ui/shell/time_bar.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookInterval = 1s;
constexpr int kLooksAfterEnd = 5;  // the journal's last bytes may come a little later
constexpr auto kPlayInterval = 100ms;
constexpr double kMostPlayed = 0.5;  // seconds at a time: nothing is jumped over unseen
constexpr double kSameTime = 0.001;  // seconds
constexpr qint64 kMostFilling = 15;  // milliseconds at a time

}  // namespace

TimeTravel::TimeTravel(TimeBar& bar, NoticeBar& notice, std::function<double()> now,
                       QWidget* window)
    : QObject(window),
      bar_(bar),
      notice_(notice),
      now_(std::move(now)),
      end_(new QShortcut(QKeySequence(Qt::Key_End), window)) {
    looking_.setInterval(kLookInterval);
    looking_.callOnTimeout(this, &TimeTravel::look);
    filling_.setInterval(0);
    filling_.callOnTimeout(this, &TimeTravel::fill);
    playing_.setInterval(kPlayInterval);
    playing_.callOnTimeout(this, &TimeTravel::playOn);
    end_->setEnabled(false);
    connect(end_, &QShortcut::activated, this, &TimeTravel::goBack);
    connect(&notice_, &NoticeBar::dismissed, this, &TimeTravel::goBack);
    connect(&moments_, &MomentBridge::timelineChanged, this, &TimeTravel::showTimeline);
    connect(&moments_, &MomentBridge::timelineFailed, this, [this](const Error& error) {
        if (!timeline()) bar_.showObstacle(tr("No timeline: %1").arg(fromCore(error.message)));
        if (std::exchange(wantedReplay_, {})) Q_EMIT failed(error);
    });
    connect(&moments_, &MomentBridge::timelineProgressed, this, [this](double fraction) {
        bar_.showPlace(tr("Reading the timeline … %1").arg(units::percent(fraction, 0)));
    });
    connect(&moments_, &MomentBridge::momentShown, this, &TimeTravel::take);
    connect(&moments_, &MomentBridge::momentProgressed, this, &TimeTravel::sayReading);
    connect(&moments_, &MomentBridge::momentFailed, this, [this](const Error& error) {
        goBack();
        Q_EMIT failed(error);
    });
    TimeSlider& slider = bar_.slider();
    connect(&slider, &TimeSlider::wanted, this, [this](double seconds) {
        play(false);
        goToSeconds(seconds);
    });
    connect(&slider, &TimeSlider::markChosen, this, &TimeTravel::goToMark);
    connect(&slider, &TimeSlider::stepWanted, this, &TimeTravel::goToStep);
    connect(&slider, &TimeSlider::endWanted, this, &TimeTravel::goBack);
    connect(&bar_, &TimeBar::playClicked, this, [this] { play(!isPlaying()); });
    reset();
}

void TimeTravel::reset() {
    goBack();
    looking_.stop();
    looksAfterEnd_ = 0;
    live_.reset();
    wantedReplay_.reset();
    moments_.forget();
    bar_.showObstacle({});
    bar_.hide();
}

/// What a session replays of the past at first is not to be read twice at the same time.
void TimeTravel::showLive(const View& view) {
    const bool hasEnded = live_ && !isEnded(live_->state) && isEnded(view->state);
    live_ = view;
    bar_.show();
    if (hasEnded && place_) notice_.setRemedy(tr("Meanwhile: %1").arg(statusSentence(*view)));
    if (moments_.hasRun() || view->runDir.empty()) return;
    if (!view->caughtUp && !isEnded(view->state)) return;
    moments_.follow(view->runDir);
    moments_.refresh();
    looking_.start();
}

void TimeTravel::look() {
    if (live_ && isEnded(live_->state) && ++looksAfterEnd_ > kLooksAfterEnd) looking_.stop();
    moments_.refresh();
}

void TimeTravel::showTimeline() {
    const auto& timeline = moments_.timeline();
    if (timeline->empty()) return;
    bar_.showTimeline(*timeline);
    if (place_) bar_.slider().setPlace(seconds_);
    say();
    if (const auto seconds = std::exchange(wantedReplay_, {})) replayEnd(*seconds);
}

void TimeTravel::goToSeconds(double seconds) {
    if (!timeline() || timeline()->empty()) return;
    goTo(timeline()->at(seconds).moment, seconds);
}

/// Behind the very record that tells of it: where it stands in time, others may have come first.
void TimeTravel::goToMark(int mark) {
    play(false);
    const TimeSlider::Mark& chosen = bar_.slider().marks()[mark];
    goTo(timeline()->marks[std::size_t(chosen.id)].moment, chosen.seconds);
}

bool TimeTravel::goToTime(double wallTime) {
    if (!timeline() || timeline()->empty()) return false;
    play(false);
    const auto& marks = timeline()->marks;
    const auto told = std::ranges::find_if(marks, [wallTime](const job::TimelineMark& mark) {
        return std::abs(mark.moment.wallTime - wallTime) < kSameTime;
    });
    if (told != marks.end())
        goTo(told->moment, timeline()->secondsAt(wallTime));
    else
        goTo(timeline()->from(wallTime).moment, timeline()->from(wallTime).seconds);
    return true;
}

void TimeTravel::goToStep(int direction) {
    if (!timeline() || timeline()->empty()) return;
    play(false);
    if (!place_ && direction > 0) return;
    const job::RunMoment from = place_.value_or(timeline()->points.back().moment);
    const auto& other = timeline()->otherStep(from, direction > 0);
    if (direction > 0 && other.moment == timeline()->points.back().moment) return goBack();
    goTo(other.moment, other.seconds);
}

void TimeTravel::goTo(const job::RunMoment& moment) {
    goTo(moment, timeline() ? timeline()->secondsAt(moment.wallTime) : 0);
}

void TimeTravel::goTo(const job::RunMoment& moment, double seconds) {
    seconds_ = seconds;
    const bool wasPresent = !place_;
    const bool isSame = place_ && place_->offset == moment.offset;
    place_ = moment;
    end_->setEnabled(true);
    bar_.slider().setPlace(seconds_);
    if (wasPresent) {
        notice_.showNotice({Tone::Accent, {}, {}, {}});
        QPushButton* back = notice_.addAction(tr("Back to now (End)"));
        back->setObjectName(QStringLiteral("backToNow"));
        connect(back, &QPushButton::clicked, this, &TimeTravel::goBack);
        sayReading(0);
    }
    say();
    if (wasPresent) Q_EMIT entered();
    if (!isSame) moments_.show(moment);
}

void TimeTravel::goBack() {
    play(false);
    if (!place_) return;
    place_.reset();
    shown_.reset();
    feed_.clear();
    filling_.stop();
    moments_.endShow();
    end_->setEnabled(false);
    notice_.clear();
    bar_.slider().setPlace(bar_.slider().seconds());
    say();
    Q_EMIT left();
}

void TimeTravel::replayEnd(double seconds) {
    if (!live_) return;
    if (!timeline() || timeline()->empty()) {
        wantedReplay_ = seconds;  // once it is read; nobody may be looking any more
        return moments_.refresh();
    }
    double end = timeline()->seconds();
    if (const job::FailureView* failure = decisiveFailure(*live_))
        end = timeline()->secondsAt(failure->wallTime);
    goToSeconds(std::max(end - seconds, 0.0));
    bar_.slider().setFocus(Qt::OtherFocusReason);
    play(true);
}

void TimeTravel::play(bool on) {
    if (on == isPlaying()) return;
    bar_.showPlaying(on);
    if (!on) return playing_.stop();
    if (!place_) goToSeconds(0);
    playedAt_ = now_();
    if (place_) playing_.start();
    bar_.showPlaying(isPlaying());
}

/// The run's time keeps pace, however long moments take to be shown, but while one takes very long.
void TimeTravel::playOn() {
    if (!isSettled() || !timeline()) return;
    const double now = now_();
    const double passed = std::min(now - std::exchange(playedAt_, now), kMostPlayed);
    const double seconds = seconds_ + passed * bar_.speed();
    if (seconds >= timeline()->seconds()) return goBack();
    const job::RunMoment& next = timeline()->at(seconds).moment;
    // From a mark: onwards.
    goTo(next.offset < place_->offset ? job::RunMoment(*place_) : next, seconds);
}

void TimeTravel::take(const MomentBridge::Shown& shown) {
    if (!place_) return;
    if (shown->fromStart) feed_.clear();
    feed_.push_back({shown});
    fill();
}

/// Charts of a long run take a while: never long at a time.
void TimeTravel::fill() {
    QElapsedTimer time;
    time.start();
    while (!feed_.empty() && time.elapsed() < kMostFilling) {
        Feed& next = feed_.front();
        if (!std::exchange(next.begun, true)) {
            shown_ = next.shown->view;
            filled_ = next.shown->moment;
            Q_EMIT fillingBegan(next.shown->fromStart);
            Q_EMIT viewShown(shown_);  // charts must know the replicas before their points come
        } else if (next.told < next.shown->arrivals.size()) {
            Q_EMIT arrived(std::exchange(next.shown->arrivals[next.told++], {}));
        } else {
            Q_EMIT logShown(next.shown->log);
            Q_EMIT viewShown(shown_);  // some of it depends on the points
            feed_.pop_front();
            Q_EMIT fillingEnded();
            say();
        }
    }
    feed_.empty() ? filling_.stop() : filling_.start();
}

void TimeTravel::say() {
    if (!timeline() || timeline()->empty()) return;
    if (!place_) return bar_.showPlace(tr("Now"));
    bar_.showPlace(tr("%1, step %2").arg(momentText(place_->wallTime), units::count(place_->step)));
    // Until what was asked for is there, the notice says how far it is.
    if (!shown_ || !isSettled()) return;
    notice_.setSentence(
        tr("You see %1, step %2.").arg(momentText(filled_.wallTime), units::count(filled_.step)));
}

void TimeTravel::sayReading(double fraction) {
    if (!place_) return;
    notice_.setSentence(tr("Reading the run up to %1, step %2 … %3")
                            .arg(momentText(place_->wallTime), units::count(place_->step),
                                 units::percent(fraction, 0)));
}

}  // namespace lockstep::ui
