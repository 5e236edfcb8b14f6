// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_comparison.h"

#include <algorithm>
#include <chrono>

#include "ui/bridge/session_end.h"
#include "ui/models/words.h"

namespace lockstep::ui {
namespace {

using namespace std::chrono_literals;
constexpr auto kReading = 40ms;
constexpr auto kFollowing = 500ms;  // what has caught up and goes on

}  // namespace

RunComparison::RunComparison(Attach attach, QObject* parent)
    : QObject(parent), attach_(std::move(attach)) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, qOverload<>(&RunComparison::pull));
}

RunComparison::~RunComparison() {
    clear();
}

void RunComparison::clear() {
    timer_.stop();
    for (const auto& reading : readings_)
        destroyElsewhere(std::move(reading->session));
    readings_.clear();
}

void RunComparison::start(const std::vector<std::filesystem::path>& folders) {
    clear();
    if (!attach_) return;
    for (int run = 0; run < int(folders.size()); ++run) {
        readings_.push_back(std::make_unique<Reading>());
        readings_.back()->opening.start(
            [attach = attach_, folder = folders[std::size_t(run)]] {
                return attach(folder, {.staysHere = true});
            },
            [this, run](JobServices::OpenedSession opened) { adopt(run, std::move(opened)); });
    }
}

bool RunComparison::isReading() const {
    return std::ranges::any_of(readings_, [](const auto& reading) {
        return reading->opening.isBusy() || (reading->session && !reading->caughtUp);
    });
}

void RunComparison::adopt(int run, JobServices::OpenedSession opened) {
    if (!opened) {
        Q_EMIT failed(run, opened.error());
        Q_EMIT progressed();
        return;
    }
    readings_[std::size_t(run)]->session = std::move(*opened);
    timer_.start(0ms);
}

void RunComparison::pull() {
    QElapsedTimer time;
    time.start();
    for (int run = 0; run < int(readings_.size()); ++run) {
        Reading& reading = *readings_[std::size_t(run)];
        // Whoever hears of it may let all of them go.
        if (reading.session && !pull(run, reading)) return;
        if (!tell(run, reading, time)) return;
    }
    if (std::ranges::any_of(readings_, [](const auto& each) { return !each->untold.isEmpty(); }))
        return timer_.start(0ms);
    const bool goesOn = std::ranges::any_of(
        readings_, [](const auto& reading) { return reading->session != nullptr; });
    if (goesOn) timer_.start(isReading() ? kReading : kFollowing);
    Q_EMIT progressed();
}

bool RunComparison::stays(int run, const Reading& reading) const {
    return run < int(readings_.size()) && readings_[std::size_t(run)].get() == &reading;
}

/// Some of what was taken, while there is time. False: there is no such reading any more.
bool RunComparison::tell(int run, Reading& reading, const QElapsedTimer& time) {
    while (!reading.untold.isEmpty() && time.elapsed() < UntoldSteps::kTellingMs) {
        Q_EMIT stepsArrived(run, reading.untold.takePiece());
        if (!stays(run, reading)) return false;
    }
    return true;
}

/// False: there is no such reading any more.
bool RunComparison::pull(int run, Reading& reading) {
    if (!reading.untold.isEmpty()) return true;
    auto steps = reading.session->takeSteps();
    // Nothing shows them here; what is not taken would hold up the replay.
    // Not discardSamples(), which takes steps, too: those that have come since would be lost.
    std::ignore = reading.session->takeScalars();
    std::ignore = reading.session->takeHeartbeats();
    std::ignore = reading.session->takeLoads();
    std::ignore = reading.session->takeLogs();
    const bool isNews = !steps.empty();
    reading.untold.add(std::move(steps));
    // Behind its points, and told before them: the replicas of all of them are known.
    const View newest = reading.session->view();
    if (newest && newest != reading.view) {
        reading.view = newest;
        Q_EMIT viewChanged(run, newest);
        if (!stays(run, reading)) return false;
    }
    if (isNews) return true;
    if (!reading.view || !reading.view->caughtUp) return true;
    reading.untold.add(reading.session->takeSteps());  // of between the two looks
    if (!reading.untold.isEmpty()) return true;
    reading.caughtUp = true;
    if (isEnded(reading.view->state)) destroyElsewhere(std::move(reading.session));
    return true;
}

}  // namespace lockstep::ui
