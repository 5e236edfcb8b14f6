// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/remote_source.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/exit_status.h"
#include "core/base/file.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/job/fold/wire_views.h"
#include "core/job/source/remote_names.h"
#include "core/job/source/remote_record.h"
#include "core/telemetry/journal.h"
#include "core/wire/context.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr std::chrono::seconds kFileTimeout{15};
constexpr std::chrono::seconds kRestPatience{60};  ///< Without a piece of an ended run's journal.
constexpr std::chrono::seconds kEndPatience{12};
constexpr std::chrono::seconds kSilence{8};  ///< Of a connected run: its place is asked for again.
/// From the word to end the run until its host does so by force: the coordinator cannot hear it,
/// does not answer, or answers and does not end.
constexpr std::chrono::seconds kStoppedPatience{1};
constexpr std::chrono::seconds kDeafPatience{4};
constexpr std::chrono::seconds kSlowPatience{6};

/// Over a connection, that something is not there comes as BadInput.
bool isAbsent(const Error& error) {
    return isBadInput(error.code);
}

}  // namespace

RemoteSource::RemoteSource(Options options)
    : options_(std::move(options)),
      run_(std::make_unique<launch::RemoteRun>(options_.what, options_.makeLinks)) {
    status_.link.sentence = "connecting";
    if (const auto* tied = order(); tied != nullptr && tied->tied)
        if (const auto job = config::JobDocument::parse(tied->config.job_toml(), "job.toml"))
            maxRestarts_ = job->spec().launch.restarts();
    tellWhatDetachedRunsLack();
    std::error_code absent;
    if (const auto* order = this->order()) {
        const auto bytes = std::filesystem::file_size(options_.paths.journal(), absent);
        const bool isResumed = !absent && !order->config.from_scratch();
        former_ = isResumed ? bytes : 0;
        ledger_ = StartLedger(former_);
        runIds_.push_back(order->config.run_id());
    } else if (const auto record = readRemoteRecord(options_.paths.folder)) {
        former_ = record->former;
    }
}

Result<std::optional<JournalSource::Piece>> RemoteSource::next(Nanos timeout) {
    if (status_.exhausted) return std::nullopt;
    if (ending_) return endLost(timeout), std::nullopt;
    if (search_) {
        TRY(awaitSpare(timeout));
        return std::nullopt;
    }
    if (fewer_) return awaitHome(timeout), std::nullopt;
    if (!run_) return awaitStart(timeout), std::nullopt;
    const launch::RemoteRun::State state = run_->state();
    if (state.place && !settled_) TRY(settleIn(*state.place));
    if (!reached_ && state.connection > 0) TRY(goOnFrom(state.journalStart));
    noteReach(state);
    if (killIsDue(state)) run_->killAgent();
    if (const auto loss = lossOf(state); loss && beginsAgain(*loss, state)) return std::nullopt;
    lookAtSpares();
    if (mirror_ && offset_ < mirror_->size()) return replay();
    if (endIsDue(state)) {
        finish(state);
        return std::nullopt;
    }
    switch (state.phase) {
        case Phase::Failed:
            failWith(*state.failure);
            return std::nullopt;
        case Phase::Connected:
            return follow(state, timeout);
        case Phase::Ended:
            return readRest(state, timeout);
        case Phase::Starting:
        case Phase::Broken:
            break;
    }
    return wait(state, timeout);
}

/// Once it is known where the run lies.
Result<void> RemoteSource::settleIn(const launch::RemotePlace& place) {
    settled_ = true;
    runDir_ = place.runDir;
    isSeenHere_ = place.visible;
    auto* order = this->order();
    if (order != nullptr) order->resumedHost.clear();  // from now on the run lies here
    if (order != nullptr && order->takeover) {
        placeSince_ = runIds_.size() - 1;
        order->resumedDir = place.runDir;
        order->takeover.reset();
    }
    RemoteRecord record{place, options_.sshConfig};
    record.former = former_;
    record.leaseSeconds = order != nullptr
                              ? order->leaseSeconds
                              : std::get<launch::RemoteRun::Comeback>(options_.what).leaseSeconds;
    if (order != nullptr) record.folderName = order->folderName;
    // First: the former record goes with it.
    if (order != nullptr && order->config.from_scratch() && !place.visible) TRY(putAside());
    if (order != nullptr) TRY(writeRemoteRecord(options_.paths.folder, record));
    if (place.visible) return {};
    if (order != nullptr && order->config.resume() && !next_) formerCopy_.emplace(options_.paths);
    mirror_.reset();  // of the start before
    auto mirror = run::RunMirror::open(options_.paths, place.runId);
    if (!mirror) return fail(mirror.error());
    mirror_.emplace(std::move(*mirror));
    if (order == nullptr) return {};
    std::error_code ignored;
    std::filesystem::remove(options_.paths.summary(), ignored);  // of a run that is resumed
    return replaceFileDurably(options_.paths.job(), order->config.job_toml());
}

/// This machine's copy of the run that another one takes the place of.
Result<void> RemoteSource::putAside() {
    earlier_ = TRY(run::EarlierRun::putAside(options_.paths));
    if (!earlier_.note().empty()) warnings_.push_back(earlier_.note());
    return {};
}

Result<std::optional<JournalSource::Piece>> RemoteSource::replay() {
    auto frames = TRY(mirror_->read(offset_, kPieceBytes));
    status_.link = {false, false, "reading the run's journal"};
    return take(offset_, std::move(frames));
}

Result<std::optional<JournalSource::Piece>> RemoteSource::wait(
    const launch::RemoteRun::State& state, Nanos timeout) {
    client_.reset();
    const std::string before = next_ ? next_->loss() + "; " : "";
    const bool isStopped = !state.agentsWords.empty();
    status_.link = {false, status_.link.caughtUp,
                    before + (isStopped ? state.agentsWords : state.sentence)};
    status_.link.agentsWords = state.agentsWords;
    run_->waitForChange(timeout);
    return std::nullopt;
}

Result<void> RemoteSource::connect(const launch::RemoteRun::State& state) {
    coordination::MonitorOptions options;
    options.endpoint = state.socket;
    options.serverPublicKey = state.serverPublic;
    options.keys = run_->monitorKeys();
    options.runId = state.place->runId;
    options.fromOffset = offset_;
    auto context = TRY(wire::Context::make());
    client_ = TRY(coordination::MonitorClient::connect(context, std::move(options)));
    connection_ = state.connection;
    heard_ = SteadyClock::read();
    if (stopRequested_) client_->requestStop();
    if (killRequested_) client_->requestKill();
    return {};
}

Result<std::optional<JournalSource::Piece>> RemoteSource::follow(
    const launch::RemoteRun::State& state, Nanos timeout) {
    if (!client_ || connection_ != state.connection) {
        client_.reset();
        TRY(connect(state));
    }
    auto piece = client_->poll(timeout);
    const Nanos now = SteadyClock::read();
    const bool isStopped = !state.agentsWords.empty();
    if (client_->connected() || isStopped) heard_ = now;
    if (!piece || now - heard_ > kSilence) {  // refused, or nobody is there
        client_.reset();
        heard_ = now;
        run_->askAgain();
        run_->waitForChange(timeout);
        return std::nullopt;
    }
    const bool connected = client_->connected() && !isStopped && !state.agentKilled;
    status_.link.connected = connected;
    status_.link.agentsWords = state.agentsWords;
    status_.link.sentence = connected           ? "live from " + state.place->host
                            : state.agentKilled ? agentEndOf(state)
                            : isStopped         ? state.agentsWords
                                                : "connecting to the run";
    if (!*piece) return std::nullopt;
    // Who waits for the end of the run waits for that of its processes.
    status_.link.caughtUp = (*piece)->caughtUp() && !end_;
    return take((*piece)->offset, std::move((*piece)->bytes));
}

Result<std::optional<JournalSource::Piece>> RemoteSource::take(std::uint64_t offset,
                                                               std::string frames) {
    copy(offset, frames);
    offset_ = offset + frames.size();
    ledger_.take(offset, frames);
    // What a resumed run was before has ended, too.
    if (offset_ > former_) noteRunEnd(frames);
    return Piece{offset, std::move(frames)};
}

/// A run on other hosts does not depend on this machine's disk.
void RemoteSource::copy(std::uint64_t offset, const std::string& frames) {
    if (!mirror_ || mirrorBroken_) return;
    auto copied = mirror_->append(offset, frames);
    if (copied) return;
    mirrorBroken_ = true;
    warnings_.push_back(fmt::format(
        "the run is not copied to {} any more: {}; the run goes on, and `lockstepctl attach` "
        "copies the rest later",
        options_.paths.folder.string(), copied.error().message));
}

void RemoteSource::noteRunEnd(const std::string& frames) {
    telemetry::FrameCursor cursor(frames);
    std::optional<std::string_view> last;
    while (const auto record = cursor.next())
        last = record;
    wire::Record record;
    if (!last) return;
    end_.reset();  // of a former start
    if (!record.ParseFromArray(last->data(), static_cast<int>(last->size()))) return;
    if (!record.has_run_end()) return;
    end_ = record.run_end();
    endSeen_ = SteadyClock::read();
    status_.link.caughtUp = false;
}

/// While nobody is reached, nobody hears what is asked: a login may take its time.
void RemoteSource::noteReach(const launch::RemoteRun::State& state) {
    const bool isConnected = state.phase == Phase::Connected;
    if ((state.linked && !wasLinked_) || (isConnected && !wasConnected_))
        killAsked_ = SteadyClock::read();
    wasLinked_ = state.linked;
    wasConnected_ = isConnected;
}

/// What the run was told it has not done: its host is to be told.
bool RemoteSource::killIsDue(const launch::RemoteRun::State& state) const {
    if (!killRequested_ || state.forced || !state.linked || state.phase == Phase::Starting)
        return false;
    if (end_ && state.connection > 0) return false;
    const bool answers = state.phase == Phase::Connected && client_ && client_->connected();
    const Nanos patience = !state.agentsWords.empty() ? kStoppedPatience
                           : answers                  ? kSlowPatience
                                                      : kDeafPatience;
    return SteadyClock::read() - killAsked_ > patience;
}

/// The run's end is known, and nothing will be heard of its processes' any more.
bool RemoteSource::endIsDue(const launch::RemoteRun::State& state) const {
    if (!end_) return false;
    if (state.phase == Phase::Failed) return true;
    // What this machine's copy says may be old: the run can have been resumed from elsewhere.
    if (state.connection == 0) return false;
    return state.phase == Phase::Broken || SteadyClock::read() - endSeen_ > kEndPatience;
}

/// Nobody serves the run any more: what the coordinator has sent before it went, then the file.
Result<std::optional<JournalSource::Piece>> RemoteSource::readRest(
    const launch::RemoteRun::State& state, Nanos timeout) {
    if (client_) {
        auto piece = client_->poll(Millis(100));
        if (piece && *piece && !(*piece)->bytes.empty())
            return take((*piece)->offset, std::move((*piece)->bytes));
        client_.reset();
    }
    auto rest = run_->readFile("journal", offset_, kFileTimeout);
    if (rest && !rest->bytes().empty()) {
        restFailing_ = Nanos{};
        return take(offset_, std::move(*rest->mutable_bytes()));
    }
    const bool nothingLeft = !rest && isAbsent(rest.error());
    if (!rest && !nothingLeft) return awaitRest(state, rest.error(), timeout);
    finish(state);
    // A job that was refused said so over the connection, and took back what it had made.
    const bool refused = end_ && end_->exit_status() == kExitBadInput;
    if (nothingLeft && refused && mirror_) {
        mirror_.reset();
        removeUnused();
    }
    return std::nullopt;
}

/// A slow or lost connection is not the journal's end: what is there now would stay all there is.
Result<std::optional<JournalSource::Piece>> RemoteSource::awaitRest(
    const launch::RemoteRun::State& state, const Error& error, Nanos timeout) {
    const Nanos now = SteadyClock::read();
    if (restFailing_ == Nanos{}) restFailing_ = now;
    status_.link = {false, false, "the end of the run's journal: " + error.message};
    if (!killRequested_ && now - restFailing_ < kRestPatience) {
        run_->waitForChange(timeout);
        return std::nullopt;
    }
    status_.exhausted = true;
    status_.ending =
        Ending{1,
               fmt::format("process 0 ({}): the run has ended, but the end of its journal could "
                           "not be read: {}",
                           state.place->host, withoutHost(error.message, state.place->host)),
               "Read the rest with `lockstepctl attach` and the run's folder."};
    return std::nullopt;
}

void RemoteSource::finish(const launch::RemoteRun::State& state) {
    client_.reset();
    if (!end_ && state.agentKilled && mayBeginAgain(state) &&
        beginsAgain({.error = {ErrorCode::PeerLost, "its agent " + state.agentEnd, ""},
                     .host = state.place->host,
                     .isOwnFault = state.agentCrashed},
                    state))
        return;
    if (isOrphaned() && mayBeginAgain(state) && beginsAgain(lossOfOrphan(), state)) return;
    status_.exhausted = true;
    status_.link = {false, true, "shown from the run's folder"};
    noteEnd();
    if (repetition_)
        status_.ending = repetition_;
    else if (!end_ && state.forced)
        status_.ending =
            Ending{kExitStopped, fmt::format("the run was ended by force on {}", state.place->host),
                   "Its newest checkpoint is kept: `--resume` goes on from there."};
    else if (!end_ && !state.agentEnd.empty())
        status_.ending = Ending{
            1, agentEndOf(state),
            "Everything that it had started has ended with it. Continue the run with --resume."};
    if (!end_) return;
    const bool trained = end_->exit_status() != kExitBadInput;
    if (mirror_ && mirror_->writes() && trained)
        std::ignore = replaceFileDurably(options_.paths.summary(), end_->summary_json());
    // A start that found nothing left to train has never used its job.
    if (mirror_ && formerCopy_ && trained && end_->summary_json() == formerCopy_->summary())
        std::ignore = replaceFileDurably(options_.paths.job(), formerCopy_->job());
    if (mirror_ && mirror_->writes() && !trained) putBack();
    if (repetition_ || !state.lostHost || asked() || end_->status() != "stopped") return;
    status_.ending =
        Ending{1, nameOf(*state.lostHost),
               "The job was tied to that connection; it was ended on all hosts.\n"
               "Continue it with --resume, or let it go on without connections with --detach."};
}

/// A resume that was refused leaves the run as it was, here as there.
void RemoteSource::putBack() {
    if (!formerCopy_ && earlier_.note().empty()) return;
    mirror_.reset();
    if (formerCopy_) formerCopy_->putBack();
    earlier_.putBack();
}

void RemoteSource::noteEnd() {
    if (mirrorBroken_) return;  // who comes back reads the rest
    auto record = readRemoteRecord(options_.paths.folder);
    if (!record) return;
    record->ended = true;
    std::ignore = writeRemoteRecord(options_.paths.folder, *record);
}

void RemoteSource::failWith(const launch::RemoteFailure& failure) {
    const ErrorCode code = failure.error.code;
    if (next_ && !asked() && (seeksSpare(failure) || triesAgain(nameOf(failure)))) return;
    if (next_ && !asked()) return endOrLeaveBehind(failure);
    status_.exhausted = true;
    status_.link = {false, true, failure.error.message};
    if (!reached_) putBack();
    if (!settled_) removeUnused();
    if (code == ErrorCode::Cancelled && asked())
        status_.ending = Ending{kExitStopped, "", ""};
    else if (isBadInput(code))
        status_.ending = Ending{
            kExitBadInput, failure.host + ": " + withoutHost(failure.error.message, failure.host),
            failure.error.remedy};
    else
        status_.ending = Ending{kExitFailed, nameOf(failure), failure.error.remedy};
}

/// The folder of a run that never began, unless there is something in it.
void RemoteSource::removeUnused() const {
    if (options_.created.empty()) return;
    const auto* order = std::get_if<launch::RemoteOrder>(&options_.what);
    if (order == nullptr || order->config.resume()) return;
    std::error_code ignored;
    for (const auto& file : {options_.paths.job(), options_.paths.journal(), options_.paths.lock(),
                             remoteRecordFile(options_.paths.folder)})
        std::filesystem::remove(file, ignored);
    for (std::filesystem::path folder = options_.paths.folder;
         folder.native().size() >= options_.created.native().size(); folder = folder.parent_path())
        std::filesystem::remove(folder, ignored);  // where nothing else came to live in it
}

void RemoteSource::requestStop() {
    stopRequested_ = true;
    if (client_)
        client_->requestStop();
    else if (run_)
        run_->cancel();  // a launch; a run that is there hears it when it is reached
}

void RemoteSource::waitLonger() {
    if (client_) client_->waitLonger();
}

void RemoteSource::drill(const DrillOrder& order) {
    if (client_) client_->requestDrill(requestOf(order));
}

void RemoteSource::kill() {
    if (!killRequested_) killAsked_ = SteadyClock::read();
    killRequested_ = true;
    if (client_)
        client_->requestKill();
    else if (run_)
        run_->cancel();
}

}  // namespace lockstep::job
