// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/live_source.h"

#include <algorithm>
#include <utility>

#include "core/base/exit_status.h"
#include "core/base/file.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/coordination/monitor/monitor_key.h"
#include "core/job/fold/wire_views.h"
#include "core/wire/context.h"

namespace lockstep::job {

namespace {

constexpr Millis kLookInterval{300};
constexpr Millis kQuiet{1500};  ///< A run says something every second.
constexpr std::size_t kPieceBytes = 1 << 20;
/// From the word to end the run until it is done by force: of an agent that cannot hear it, and of
/// one that does not answer.
constexpr Nanos kStoppedPatience = std::chrono::seconds(1);
constexpr Nanos kDeafPatience = std::chrono::seconds(5);

}  // namespace

Result<void> LiveSource::connect() {
    auto key = TRY(coordination::readMonitorKey(contact_.keyFile));
    coordination::MonitorOptions options;
    options.endpoint = contact_.endpoint;
    options.runId = contact_.runId;
    options.fromOffset = offset_;
    options.serverPublicKey = std::move(key.serverPublicKey);
    options.keys = std::move(key.keys);
    auto context = TRY(wire::Context::make());
    client_ = TRY(coordination::MonitorClient::connect(context, std::move(options)));
    if (stopRequested_) client_->requestStop();
    if (killRequested_) client_->requestKill();
    return {};
}

Result<std::optional<JournalSource::Piece>> LiveSource::next(Nanos timeout) {
    if (rest_) return readRest();
    if (!client_) {
        if (auto connected = connect(); !connected) {
            if (!coordinatorIsGone()) return fail(connected.error());
            return readRest();
        }
    }
    auto piece = TRY(client_->poll(timeout));
    if (piece) heard_ = SteadyClock::read();
    lookAtAgent(!piece);
    status_.link.connected = client_ && client_->connected() && agentsWords_.empty();
    status_.link.sentence = status_.link.connected ? "live"
                            : agentsWords_.empty() ? "connecting to the run"
                                                   : agentsWords_;
    status_.link.agentsWords = agentsWords_;
    if (piece) {
        status_.link.caughtUp = piece->caughtUp();
        offset_ = piece->offset + piece->bytes.size();
        return Piece{piece->offset, std::move(piece->bytes)};
    }
    // What it had sent before it went has been taken once a poll after its end brings nothing.
    if (isGone_) return readRest();
    isGone_ = coordinatorIsGone();
    return std::nullopt;
}

/// Where the agent is silent: whether it can speak, and by force what it was told. `hasAll`:
/// nothing that it has sent is still to be taken.
void LiveSource::lookAtAgent(bool hasAll) {
    const Nanos now = SteadyClock::read();
    const bool connected = client_->connected();
    if (connected && now - heard_ < kQuiet) return agentsWords_.clear();
    if (now < nextLookAtAgent_) return;
    nextLookAtAgent_ = now + kLookInterval;
    if (hasAll && !connected) turnToReplacement();
    const auto agent = run::agentProcess(paths_);
    agentsWords_ = agent && agent->isStopped
                       ? run::stoppedSentence(*agent) + ". " + run::stoppedRemedy(*agent)
                       : "";
    // One that answers does as it was told: what it still has to write takes its time.
    if (killRequested_ && agent && (!connected || agent->isStopped)) enforceKill(*agent);
}

/// Its processes end with it.
void LiveSource::enforceKill(const run::AgentProcess& agent) {
    const Nanos patience = agent.isStopped ? kStoppedPatience : kDeafPatience;
    if (SteadyClock::read() - killAsked_ < patience || !run::killAgent(paths_)) return;
    status_.ending =
        Ending{kExitStopped,
               agent.isStopped ? run::stoppedSentence(agent) + ": it was ended by force"
                               : "the run's agent did not answer: it was ended by force",
               "Its newest checkpoint is kept: `--resume` goes on from there."};
}

/// Its launcher has put another agent in the place of one that was lost.
void LiveSource::turnToReplacement() {
    auto contact = run::readContact(paths_);
    if (!contact || contact->runId == contact_.runId || contact->journalStart == 0) return;
    contact_ = std::move(*contact);
    offset_ = std::min(offset_, contact_.journalStart);
    client_.reset();  // the next look connects to the new one
    isGone_ = false;
    killAsked_ = SteadyClock::read();
}

/// An agent that ends by itself leaves a summary.
bool LiveSource::mayBeReplaced() const {
    std::error_code error;
    if (std::filesystem::exists(paths_.summary(), error) || run::wasEndedByForce(paths_))
        return false;
    const auto text = readFile(paths_.job(), config::kJobFileLimitBytes);
    const auto job = text ? config::JobDocument::parse(*text, "job.toml")
                          : Result<config::JobDocument>(fail(text.error()));
    return job && job->spec().launch.restarts() > 0;
}

/// Nobody holds the run's folder any more: the journal is complete, as far as it goes.
bool LiveSource::coordinatorIsGone() {
    const Nanos now = SteadyClock::read();
    if (now < nextLook_) return false;
    nextLook_ = now + kLookInterval;
    if (run::isLocked(paths_)) {
        vacantSince_.reset();
        return false;
    }
    if (!vacantSince_) vacantSince_ = now;
    if (now - *vacantSince_ < patience_ && mayBeReplaced()) return false;
    // A folder that was moved or removed under a run says nothing of its coordinator.
    std::error_code error;
    return std::filesystem::exists(paths_.lock(), error) || !client_ || !client_->connected();
}

Result<std::optional<JournalSource::Piece>> LiveSource::readRest() {
    client_.reset();
    if (!rest_) {
        auto reader = telemetry::JournalReader::open(paths_.journal());
        if (reader) rest_.emplace(std::move(*reader));
    }
    // A journal that is gone was one of a job that was refused: its end came over the connection.
    auto frames = rest_ ? rest_->read(offset_, kPieceBytes) : Result<std::string>(std::string());
    if (!frames || frames->empty()) {
        status_.exhausted = true;
        status_.link = {false, true, "shown from the run's folder"};
        return std::nullopt;
    }
    const std::uint64_t offset = std::exchange(offset_, offset_ + frames->size());
    return Piece{offset, std::move(*frames)};
}

void LiveSource::requestStop() {
    stopRequested_ = true;  // it may come before the run is reached
    if (client_) client_->requestStop();
}

void LiveSource::waitLonger() {
    if (client_) client_->waitLonger();
}

void LiveSource::drill(const DrillOrder& order) {
    if (client_) client_->requestDrill(requestOf(order));
}

void LiveSource::kill() {
    if (!killRequested_) killAsked_ = SteadyClock::read();
    killRequested_ = true;
    if (client_) client_->requestKill();
}

}  // namespace lockstep::job
