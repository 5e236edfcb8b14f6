// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/moment_bridge.h"

#include <QThreadPool>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

namespace lockstep::ui {
namespace {

using namespace std::chrono_literals;

constexpr qint64 kLong = 300;  // milliseconds: what takes longer gives way to a newer wish
constexpr auto kProgress = 100ms;

/// Journals of gigabytes are read: nothing else waits for that.
QThreadPool* threads() {
    static QThreadPool pool;
    static const bool isSetUp = [] {
        pool.setMaxThreadCount(2);
        return true;
    }();
    Q_UNUSED(isSetUp);
    return &pool;
}

}  // namespace

struct MomentBridge::Reading {
    explicit Reading(const std::filesystem::path& runDir) : reader(runDir) {}
    std::mutex mutex;  ///< One that is no longer wanted may still be at work.
    job::TimelineReader reader;
    std::atomic<bool> givenUp = false;
    std::atomic<double> fraction = 0;
};

struct MomentBridge::Playing {
    explicit Playing(const std::filesystem::path& runDir) : player(runDir) {}
    std::mutex mutex;
    job::MomentPlayer player;
    std::atomic<bool> givenUp = false;
    std::atomic<double> fraction = 0;
};

MomentBridge::MomentBridge(QObject* parent)
    : QObject(parent), refreshing_(threads()), showing_(threads()) {
    progress_.setInterval(kProgress);
    progress_.callOnTimeout(this, &MomentBridge::tellProgress);
}

MomentBridge::~MomentBridge() {
    forget();
}

void MomentBridge::follow(const std::filesystem::path& runDir) {
    forget();
    runDir_ = runDir;
    reading_ = std::make_shared<Reading>(runDir);
}

void MomentBridge::forget() {
    endShow();
    if (reading_) reading_->givenUp = true;
    reading_.reset();
    timeline_.reset();
    refreshing_.cancel();
}

void MomentBridge::endShow() {
    if (playing_) playing_->givenUp = true;
    playing_.reset();
    wanted_.reset();
    showing_.cancel();
    if (timeline_) progress_.stop();
}

void MomentBridge::refresh() {
    if (!reading_ || refreshing_.isBusy()) return;
    if (!timeline_) progress_.start();
    const auto read = [reading = reading_] {
        const std::lock_guard lock(reading->mutex);
        return reading->reader.read([&](double fraction) {
            reading->fraction = fraction;
            return !reading->givenUp;
        });
    };
    refreshing_.start(read, [this](const Result<Timeline>& found) {
        if (!showing_.isBusy()) progress_.stop();
        if (!found) {
            Q_EMIT timelineFailed(found.error());
        } else if (*found && *found != timeline_) {
            timeline_ = *found;
            Q_EMIT timelineChanged();
        }
    });
}

void MomentBridge::show(const job::RunMoment& moment) {
    if (!reading_) return;
    if (!showing_.isBusy()) return play(moment);
    wanted_ = moment;
    tellProgress();
}

void MomentBridge::play(const job::RunMoment& moment) {
    if (!playing_) playing_ = std::make_shared<Playing>(runDir_);
    playing_->givenUp = false;
    playing_->fraction = 0;
    since_.start();
    progress_.start();
    const auto play = [playing = playing_, moment] {
        const std::lock_guard lock(playing->mutex);
        return playing->player.show(moment, [&](double fraction) {
            playing->fraction = fraction;
            return !playing->givenUp;
        });
    };
    showing_.start(play, [this](Result<std::optional<job::MomentPlayer::Shown>> played) {
        progress_.stop();
        const auto next = std::exchange(wanted_, std::nullopt);
        if (!played)
            Q_EMIT momentFailed(played.error());
        else if (*played)  // what has arrived by then is told once
            Q_EMIT momentShown(std::make_shared<job::MomentPlayer::Shown>(std::move(**played)));
        // Unless whoever heard of it has gone back to the present.
        if (next && reading_ && playing_) show(*next);
    });
}

void MomentBridge::tellProgress() {
    if (!timeline_ && reading_) Q_EMIT timelineProgressed(reading_->fraction);
    if (!showing_.isBusy() || !playing_ || since_.elapsed() <= kLong) return;
    if (wanted_) playing_->givenUp = true;
    Q_EMIT momentProgressed(playing_->fraction);
}

}  // namespace lockstep::ui
