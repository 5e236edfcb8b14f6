// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <deque>
#include <functional>
#include <optional>

#include "ui/bridge/moment_bridge.h"
#include "ui/bridge/session_bridge.h"

class QShortcut;
class QWidget;

namespace lockstep::ui {

class NoticeBar;
class TimeBar;

/// The window's way through the past of the run that is followed: where on its timeline it stands,
/// what was known there, and the way back. The run itself goes on being followed meanwhile.
class TimeTravel final : public QObject {
    Q_OBJECT
public:
    /// `now`: seconds of a clock that only goes forward.
    TimeTravel(TimeBar& bar, NoticeBar& notice, std::function<double()> now, QWidget* window);

    /// What is known of the run now.
    void showLive(const View& view);
    /// Another run is followed, or none.
    void reset();

    [[nodiscard]] bool isInPast() const { return place_.has_value(); }
    /// What is shown of the past; null in the present, and until the first moment is there.
    [[nodiscard]] const View& view() const { return shown_; }
    [[nodiscard]] const std::optional<job::RunMoment>& place() const { return place_; }
    [[nodiscard]] const MomentBridge::Timeline& timeline() const { return moments_.timeline(); }
    /// Nothing of what was asked for is still on its way.
    [[nodiscard]] bool isSettled() const { return !moments_.isShowing() && feed_.empty(); }
    [[nodiscard]] bool isPlaying() const { return playing_.isActive(); }

    void goTo(const job::RunMoment& moment);
    /// As it was at a time, in seconds since 1970, with what is told of it. False: there is no
    /// timeline.
    bool goToTime(double wallTime);
    void goBack();
    /// From `seconds` before the failure that ended the run, else before its end, on to now; once
    /// the timeline is there.
    void replayEnd(double seconds);
    void play(bool on);

Q_SIGNALS:
    /// From the present.
    void entered();
    /// Back to it.
    void left();
    /// Pages of the past are to be filled, in this order. `anew`: from empty.
    void fillingBegan(bool anew);
    void viewShown(const lockstep::ui::View& view);
    void arrived(const lockstep::job::Arrivals& arrivals);
    void logShown(const std::shared_ptr<const lockstep::job::LogBook>& log);
    void fillingEnded();
    void failed(const lockstep::Error& error);

private:
    void look();
    void showTimeline();
    void take(const MomentBridge::Shown& shown);
    void fill();
    void playOn();
    void goTo(const job::RunMoment& moment, double seconds);
    void goToSeconds(double seconds);
    void goToMark(int mark);
    void goToStep(int direction);
    void say();
    void sayReading(double fraction);

    TimeBar& bar_;
    NoticeBar& notice_;
    const std::function<double()> now_;
    MomentBridge moments_;
    View live_;
    std::optional<job::RunMoment> place_;
    View shown_;
    job::RunMoment filled_;  ///< That the pages show.
    /// What the pages are to be told, a piece after the other.
    struct Feed {
        MomentBridge::Shown shown;
        std::size_t told = 0;  ///< Pieces of it.
        bool begun = false;
    };
    std::deque<Feed> feed_;
    QTimer looking_;
    QTimer filling_;
    QTimer playing_;
    QShortcut* end_;
    double seconds_ = 0;   ///< On the timeline, of the place.
    double playedAt_ = 0;  ///< When the place was moved last.
    int looksAfterEnd_ = 0;
    std::optional<double> wantedReplay_;  ///< As soon as there is a timeline.
};

}  // namespace lockstep::ui
