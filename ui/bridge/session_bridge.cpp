// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/session_bridge.h"

#include <QElapsedTimer>
#include <chrono>

#include "ui/bridge/session_end.h"
#include "ui/models/words.h"
#include "ui/style/window_beat.h"

namespace lockstep::ui {
namespace {

using namespace std::chrono_literals;
constexpr auto kFirstInterval = 50ms;  // until there is something to see
constexpr auto kHiddenInterval = 500ms;
/// More than any job trains between two beats: a long history is being read, and its reader waits
/// for this window, not for the next beat.
constexpr std::size_t kStepsOfHistory = 50'000;

std::size_t stepsIn(const std::vector<job::StepColumns>& steps) {
    std::size_t count = 0;
    for (const job::StepColumns& columns : steps)
        count += columns.loss.size();
    return count;
}

}  // namespace

SessionBridge::SessionBridge(JobServices services, QObject* parent)
    : QObject(parent), services_(std::move(services)) {
    timer_.setSingleShot(true);
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this, [this] {
        if (untold_.isEmpty()) pull();
        tell();
        startTimer();
    });
}

SessionBridge::~SessionBridge() {
    destroyElsewhere(std::move(session_));
}

void SessionBridge::launch(const std::string& jobToml, const std::filesystem::path& jobFolder,
                           const job::LaunchOptions& options) {
    open([launch = services_.launch, jobToml, jobFolder, options] {
        return launch(jobToml, jobFolder, options);
    });
}

void SessionBridge::attach(const std::filesystem::path& runDir,
                           const std::vector<std::string>& agreed) {
    open([attach = services_.attach, runDir, agreed] {
        job::ConnectOptions options;
        options.agreed = agreed;
        return attach(runDir, options);
    });
}

void SessionBridge::open(std::function<JobServices::OpenedSession()> work) {
    if (isOpening()) return;
    opening_.start(std::move(work),
                   [this](JobServices::OpenedSession opened) { adopt(std::move(opened)); });
    Q_EMIT openingStarted();
}

void SessionBridge::adopt(JobServices::OpenedSession opened) {
    if (!opened) {
        Q_EMIT openingFailed(opened.error());
        return;
    }
    destroyElsewhere(std::exchange(session_, std::move(*opened)));
    view_.reset();
    stopRequested_ = false;
    endAnnounced_ = false;
    untold_.clear();
    isBehind_ = false;
    Q_EMIT sessionOpened();
    hasPoints_ = false;
    pull();
    tell();
    startTimer();
}

void SessionBridge::startTimer() {
    if (!session_) return;  // what was pulled may have let it go
    if (!untold_.isEmpty() || isBehind_)
        timer_.start(0ms);
    else if (!hasPoints_)
        timer_.start(kFirstInterval);
    else if (isHidden_)
        timer_.start(kHiddenInterval);
    else
        timer_.start(WindowBeat::shared().untilNext());
}

void SessionBridge::release() {
    if (!session_) return;
    timer_.stop();
    destroyElsewhere(std::move(session_));
    view_.reset();
    untold_.clear();
    Q_EMIT sessionReleased();
}

void SessionBridge::requestStop() {
    if (!isRunning() || stopRequested_) return;
    stopRequested_ = true;
    session_->requestStop();
    Q_EMIT stopRequested();
}

void SessionBridge::kill() {
    if (!isRunning()) return;
    stopRequested_ = true;
    session_->kill();
    Q_EMIT stopRequested();
}

void SessionBridge::waitLonger() {
    if (isRunning()) session_->waitLonger();
}

void SessionBridge::drill(const job::DrillOrder& order) {
    if (isRunning()) session_->drill(order);
}

void SessionBridge::setHidden(bool hidden) {
    if (isHidden_ == hidden) return;
    isHidden_ = hidden;
    startTimer();
}

bool SessionBridge::isRunning() const {
    return session_ && !(view_ && isEnded(view_->state));
}

void SessionBridge::pull() {
    if (!session_) return;
    // The run is looked at last, and told first: charts must know the replicas of every point, and
    // what comes between two looks may be all of a long history.
    std::vector<job::StepColumns> steps = session_->takeSteps();
    const auto scalars = session_->takeScalars();
    const auto marks = session_->takeHeartbeats();
    const auto loads = session_->takeLoads();
    const View newest = session_->view();
    const bool changed = newest && newest != view_;
    if (changed) view_ = newest;
    if (changed) Q_EMIT viewChanged(view_);
    if (!session_) return;  // whoever saw it has let the run go
    hasPoints_ = hasPoints_ || !steps.empty() || !scalars.empty();
    isBehind_ = stepsIn(steps) >= kStepsOfHistory;
    untold_.add(std::move(steps));
    if (!scalars.empty()) Q_EMIT scalarsArrived(scalars);
    if (!marks.empty()) Q_EMIT heartbeatsArrived(marks);
    if (!loads.empty()) Q_EMIT loadsArrived(loads);
    if (session_) Q_EMIT logPulled(session_->logBook());
}

void SessionBridge::tell() {
    QElapsedTimer time;
    time.start();
    while (!untold_.isEmpty() && time.elapsed() < UntoldSteps::kTellingMs)
        Q_EMIT stepsArrived(untold_.takePiece());
    // While history is replayed, an end in it may be that of a former start.
    const bool isOver = session_ && view_ && isEnded(view_->state) && view_->caughtUp;
    if (!isOver || endAnnounced_ || !untold_.isEmpty()) return;
    endAnnounced_ = true;
    Q_EMIT runEnded(view_);
}

}  // namespace lockstep::ui
