// SPDX-License-Identifier: Apache-2.0
#include "core/job/folding_session.h"

#include <atomic>
#include <iterator>
#include <thread>
#include <utility>

#include "core/base/mutex.h"
#include "core/base/record_clock.h"
#include "core/base/thread.h"
#include "core/job/fold/run_summary.h"
#include "core/job/logs/log_book.h"
#include "core/job/timeline/stored_checkpoints.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

namespace lockstep::job {

namespace {

constexpr auto kPublishInterval = std::chrono::milliseconds(33);
constexpr auto kLookInterval = std::chrono::seconds(1);  // at the folder of checkpoints
/// Entries (steps of replicas, named figures, heartbeats, loads, log lines) that wait for the
/// reader: 40 MB of steps.
constexpr std::size_t kMaxWaiting = 1'000'000;

template <typename T>
void moveAppend(std::vector<T>& to, std::vector<T>&& from) {
    if (to.empty())
        to = std::move(from);
    else
        to.insert(to.end(), std::make_move_iterator(from.begin()),
                  std::make_move_iterator(from.end()));
}

}  // namespace

/// The thread and what it shares with the reader.
class FoldingSession::Worker {
public:
    Worker(std::filesystem::path runDir, std::unique_ptr<JournalSource> source)
        : paths_{runDir},
          checkpoints_(paths_.checkpoints()),
          logBook_(std::make_shared<LogBook>(runDir)),
          source_(std::move(source)),
          fold_(std::move(runDir)) {
        fold_.setLink(source_->status().link);
        published_ = fold_.view();
        thread_ = startThread("session", [this](const std::stop_token& stop) { run(stop); });
    }

    std::shared_ptr<const RunView> view() const {
        Lock lock(mutex_);
        return published_;
    }

    template <typename T>
    std::vector<T> take(std::vector<T> Arrivals::*kind) {
        std::vector<T> taken;
        {
            Lock lock(mutex_);
            taken = std::exchange(waiting_.*kind, {});
            for (const T& entry : taken)
                waitingCount_ -= countOf(entry);
        }
        taken_.notify_all();
        return taken;
    }

    std::shared_ptr<const LogBook> logBook() {
        if (!logsInBook_.exchange(true)) take(&Arrivals::logs);
        return logBook_;
    }
    void requestStop() { stopRequested_ = true; }
    void kill() { killRequested_ = true; }
    void waitLonger() { longerRequested_ = true; }
    void drill(const DrillOrder& order) {
        Lock lock(mutex_);
        drills_.push_back(order);
    }

private:
    static std::size_t countOf(const StepColumns& columns) { return columns.loss.size(); }
    static std::size_t countOf(const ScalarColumns& columns) { return columns.values.size(); }
    static std::size_t countOf(const LoadMark& mark) { return weightOf(mark); }
    template <typename T>
    static std::size_t countOf(const T&) {
        return 1;
    }

    void run(const std::stop_token& stop) {
        bool isOver = false;
        while (!stop.stop_requested() && !isOver) {
            forwardRequests();
            isOver = !pullOnce();
            publishWhenDue(isOver);
            if (!isOver) waitForRoom(stop);
        }
        source_.reset();  // on its own thread
    }

    void forwardRequests() {
        if (stopRequested_.exchange(false)) source_->requestStop();
        if (killRequested_.exchange(false)) source_->kill();
        if (longerRequested_.exchange(false)) source_->waitLonger();
        std::vector<DrillOrder> drills;
        {
            Lock lock(mutex_);
            drills.swap(drills_);
        }
        for (const DrillOrder& order : drills)
            source_->drill(order);
    }

    /// False when nothing more will come.
    bool pullOnce() {
        const auto piece = source_->next(kPublishInterval);
        if (piece && *piece)
            fold(**piece);
        else
            sayDamage();
        if (const std::string warning = source_->takeWarning(); !warning.empty()) warn(warning);
        const JournalSource::Status status = source_->status();
        fold_.setLink(status.link);
        if (!piece) {
            fold_.setLink({false, true, piece.error().message});
            if (!fold_.ended()) fold_.setEnding(status.ending.value_or(lost(piece.error())));
            return false;
        }
        if (!status.exhausted) return true;
        sayDamage();
        if (status.ending)
            fold_.setEnding(*status.ending);
        else
            fold_.endOfJournal(status.summaryJson, status.summaryProblem);
        return false;
    }

    /// Nobody would ever know how the run goes on: for whoever waits for its end, this is it.
    static Ending lost(const Error& error) {
        return {1, "the connection to the run is lost: " + error.message,
                "The job may still run: follow it with `lockstepctl attach` and its folder."};
    }

    void fold(const JournalSource::Piece& piece) {
        telemetry::FrameCursor cursor(piece.frames, piece.offset);
        while (const auto bytes = cursor.next()) {
            sayDamage();
            foldRecord(*bytes, cursor.offset() - bytes->size() - telemetry::kFrameHeaderBytes);
        }
        if (cursor.damage().bytes > 0) damage_.add(cursor.damage());
    }

    /// One stretch comes in several pieces: it is whole once something is intact behind it.
    void sayDamage() {
        if (damage_.bytes == 0) return;
        const std::string damage = telemetry::describe(std::exchange(damage_, {}));
        warn(damage);
        fold_.addMissing(damage);
    }

    void foldRecord(std::string_view bytes, std::uint64_t offset) {
        auto record = wire::decode<wire::Record>(bytes);
        if (!record) return warn(record.error().message);
        if (record->has_run_end()) fillSummary(*record->mutable_run_end(), paths_);
        fold_.apply(*record, static_cast<std::int64_t>(offset));
    }

    void warn(const std::string& sentence) {
        constexpr int kWarning = 2;
        fold_.addLog({fold_.newestWallTime(), 0, Role::Agent, kWarning, sentence});
    }

    void publishWhenDue(bool isLast) {
        const Nanos now = SteadyClock::read();
        const bool isFull = fold_.arrivalCount() >= kMaxWaiting;
        if (!isLast && !isFull && now - publishedAt_ < kPublishInterval) return;
        publishedAt_ = now;
        if (isLast || now - lookedAt_ >= kLookInterval) lookForCheckpoints(now);
        // History is judged as of its own time.
        const JournalSource::Status status = source_->status();
        const bool isLive = status.link.caughtUp && !status.exhausted;
        fold_.tick(isLive ? recordSeconds() : fold_.newestWallTime());
        auto view = fold_.view();
        std::size_t count = fold_.arrivalCount();
        Arrivals arrivals = fold_.takeArrivals();
        logBook_->add(arrivals.logs);
        if (logsInBook_) count -= std::exchange(arrivals.logs, {}).size();
        Lock lock(mutex_);
        published_ = std::move(view);
        waitingCount_ += count;
        moveAppend(waiting_.steps, std::move(arrivals.steps));
        moveAppend(waiting_.scalars, std::move(arrivals.scalars));
        moveAppend(waiting_.heartbeats, std::move(arrivals.heartbeats));
        moveAppend(waiting_.loads, std::move(arrivals.loads));
        moveAppend(waiting_.logs, std::move(arrivals.logs));
    }

    void lookForCheckpoints(Nanos now) {
        lookedAt_ = now;
        if (const auto stored = storedCheckpoints(checkpoints_))
            fold_.setStoredCheckpoints(*stored);
    }

    void waitForRoom(const std::stop_token& stop) {
        Lock lock(mutex_);
        while (waitingCount_ >= kMaxWaiting && !stop.stop_requested() && !stopRequested_ &&
               !killRequested_)
            taken_.wait_for(mutex_, stop, kPublishInterval,
                            [this]() LS_REQUIRES(mutex_) { return waitingCount_ < kMaxWaiting; });
    }

    const run::RunPaths paths_;
    const std::filesystem::path checkpoints_;
    const std::shared_ptr<LogBook> logBook_;
    std::atomic<bool> logsInBook_{false};  ///< Nobody takes them otherwise.
    std::unique_ptr<JournalSource> source_;
    RunFold fold_;
    telemetry::JournalDamage damage_;  ///< At the end of what has come.
    Nanos publishedAt_{0};
    Nanos lookedAt_{0};
    std::atomic<bool> stopRequested_{false};
    std::atomic<bool> killRequested_{false};
    std::atomic<bool> longerRequested_{false};

    mutable Mutex mutex_;
    ConditionVariable taken_;
    std::shared_ptr<const RunView> published_ LS_GUARDED_BY(mutex_);
    Arrivals waiting_ LS_GUARDED_BY(mutex_);
    std::size_t waitingCount_ LS_GUARDED_BY(mutex_) = 0;
    std::vector<DrillOrder> drills_ LS_GUARDED_BY(mutex_);  // to be asked for
    std::jthread thread_;                                   // last: ends before what it uses
};

FoldingSession::FoldingSession(std::filesystem::path runDir, std::unique_ptr<JournalSource> source)
    : worker_(std::make_unique<Worker>(std::move(runDir), std::move(source))) {}
FoldingSession::~FoldingSession() = default;

std::shared_ptr<const RunView> FoldingSession::view() const {
    return worker_->view();
}
std::vector<StepColumns> FoldingSession::takeSteps() {
    return worker_->take(&Arrivals::steps);
}
std::vector<ScalarColumns> FoldingSession::takeScalars() {
    return worker_->take(&Arrivals::scalars);
}
std::vector<HeartbeatMark> FoldingSession::takeHeartbeats() {
    return worker_->take(&Arrivals::heartbeats);
}
std::vector<LoadMark> FoldingSession::takeLoads() {
    return worker_->take(&Arrivals::loads);
}
std::vector<LogEntry> FoldingSession::takeLogs() {
    return worker_->take(&Arrivals::logs);
}
std::shared_ptr<const LogBook> FoldingSession::logBook() {
    return worker_->logBook();
}
void FoldingSession::requestStop() {
    worker_->requestStop();
}
void FoldingSession::kill() {
    worker_->kill();
}
void FoldingSession::waitLonger() {
    worker_->waitLonger();
}
void FoldingSession::drill(const DrillOrder& order) {
    worker_->drill(order);
}

}  // namespace lockstep::job
