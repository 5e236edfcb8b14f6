// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/server/coordinator_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "core/base/record_clock.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kTick = 50ms;
constexpr Nanos kWriteTick = 5ms;  // while somebody waits for the journal's file,
constexpr Nanos kHanging = 1s;     // and its disk takes no longer than that
constexpr Nanos kStartPatience = 10s;
constexpr Nanos kLastSync = 3s;
constexpr Nanos kLastPiece = 5s;  // of a checkpoint, from the disk
constexpr std::size_t kCommands = 8192;
constexpr std::size_t kCommandsKept = 1024;  // of these for what is no sample
constexpr int kMessagesPerTurn = 2048;       // a flood of one socket must not starve the other

Instant present() {
    return {SteadyClock::read(), recordSeconds()};
}

bool isAboutClocks(const wire::FromCoordinator& message) {
    return message.has_value() && (message.value().request() & kClockQuestion) != 0;
}

/// Read as late as can be: what lies between asking and hearing bounds the error.
wire::FromCoordinator withTime(wire::FromCoordinator message) {
    message.mutable_value()->set_wall_time(recordSeconds());
    return message;
}

}  // namespace

Coordinator::Loop::Loop(wire::Context context, CoordinatorOptions options, wire::Wakeup wakeup,
                        std::unique_ptr<wire::Authenticator> authenticator,
                        std::unique_ptr<telemetry::JournalWriter> writer,
                        telemetry::JournalReader reader)
    : context_(std::move(context)),
      options_(std::move(options)),
      wakeup_(std::move(wakeup)),
      authenticator_(std::move(authenticator)),
      writer_(std::move(writer)),
      monitors_(options_.rules.runId, *authenticator_, *writer_, std::move(reader),
                [this] { wakeup_.notify(); }),
      core_(options_.rules, present()),
      commands_(kCommands) {
    if (options_.checkpoints.empty()) return;
    if (auto journal = telemetry::JournalReader::open(options_.journal))
        checkpoints_ = std::make_unique<CheckpointServer>(options_.checkpoints, std::move(*journal),
                                                          [this] { wakeup_.notify(); });
}

Result<void> Coordinator::Loop::start() {
    auto started = std::make_shared<std::promise<Result<void>>>();
    auto result = started->get_future();
    thread_ =
        startThread("coord", [this, started](const std::stop_token& stop) { run(stop, *started); });
    if (result.wait_for(kStartPatience) != std::future_status::ready)
        return fail(ErrorCode::Timeout, "the coordinator's thread did not come up within 10 s");
    return result.get();
}

Result<void> Coordinator::Loop::listen() {
    const bool isIpv6 =
        options_.bindHost.find(':') != std::string::npos && !options_.bindHost.starts_with('[');
    const std::string host = isIpv6 ? fmt::format("[{}]", options_.bindHost) : options_.bindHost;
    const std::string address = fmt::format("tcp://{}:{}", host, options_.port);
    auto members = wire::ServerSocket::bind(context_, address, options_.keys);
    if (!members) {
        Error error = std::move(members.error());
        if (error.remedy.empty())
            error.remedy =
                "End whatever listens there, or give process 0 another port (0: chosen by "
                "the system) in cluster.job_addresses.";
        return failWithin("starting the coordinator at " + address, std::move(error));
    }
    members_ = std::move(*members);
    TRY(monitors_.listen(context_, options_.monitorSocket, options_.keys));
    memberEndpoint = members_->endpoint();
    monitorEndpoint = monitors_.socket().endpoint();
    port = members_->port();
    return {};
}

void Coordinator::Loop::run(const std::stop_token& stop, std::promise<Result<void>>& started) {
    const Result<void> listening = listen();
    const bool listens = listening.has_value();
    started.set_value(listening);
    if (!writer_->openingNote().empty()) warn(writer_->openingNote(), present());
    bool more = false;
    while (listens && !stop.stop_requested()) {
        const bool healthy = turn(more ? Nanos{} : kTick);
        if (!healthy) break;
        more = monitors_.feed();
    }
    if (listens) lingerFor(Nanos(linger_.load()));
    endCheckpoints();
    members_.reset();
    monitors_.close();
    std::ignore = writer_->sync(kLastSync);  // who asked, knows by settleJournal
}

/// A disk that holds its thread must not hold the run's end.
void Coordinator::Loop::endCheckpoints() {
    if (checkpoints_ && !checkpoints_->end(kLastPiece)) {
        std::fprintf(stderr,
                     "warning: the thread that reads checkpoints for other hosts does not end: it "
                     "is left behind\n");
        std::ignore = checkpoints_.release();
    }
    checkpoints_.reset();
}

bool Coordinator::Loop::turn(Nanos patience) {
    const std::array<wire::Pollable*, 2> sockets{members_.get(), &monitors_.socket()};
    if (!onceWritten_.empty() && !diskHangs_) patience = std::min(patience, kWriteTick);
    if (auto waited = wire::waitReadable(sockets, &wakeup_, patience); !waited) {
        endWith(std::move(waited.error()));
        return false;
    }
    wakeup_.drain();
    const Instant at = present();
    turnedAt_ = at.now.count();
    runCommands(at);
    receiveMembers(at);
    if (auto received = monitors_.receive(core_, at, kMessagesPerTurn); !received)
        endWith(std::move(received.error()));
    if (at.now - lastTick_ >= kTick) {
        lastTick_ = at.now;
        core_.tick(at);
        watchJournal(at);
        publishCounters();
    }
    performAll();
    sendWritten();
    sendFetched();
    monitors_.show(at.now);
    publishUntold();  // who is gone, or has had its time, is awaited no more
    return true;
}

void Coordinator::Loop::runCommands(Instant at) {
    for (const Command& command : commands_.takeAll()) {
        command(core_, at);
        performAll();  // an outcome belongs to the generation that it came from
    }
}

void Coordinator::Loop::receiveMembers(Instant at) {
    for (int count = 0; count < kMessagesPerTurn; ++count) {
        auto incoming = members_->receive();
        if (!incoming) return endWith(std::move(incoming.error()));
        if (!*incoming) return;
        const wire::Incoming& message = **incoming;
        wire::Scratch scratch;
        auto decoded = wire::decode<wire::ToCoordinator>(message.bytes, scratch);
        wire::ToCoordinator foreign;  // of another version: told so by the core
        if (!decoded && decoded.error().code == ErrorCode::BadInput &&
            foreign.ParseFromString(message.bytes))
            decoded = &foreign;
        if (decoded && message.userId == askingAgent_) agentHeard_ = present().now.count();
        if (decoded && isFetch(message, **decoded)) continue;
        if (decoded)
            core_.receive({message.routingId, message.userId}, **decoded, at);
        else
            ++core_.counters().malformed;
    }
}

/// Reads of files go to a thread of their own: a slow disk must not delay heartbeats.
bool Coordinator::Loop::isFetch(const wire::Incoming& incoming,
                                const wire::ToCoordinator& message) {
    if (!message.has_fetch_list() && !message.has_fetch_piece() && !message.has_fetch_journal())
        return false;
    const bool isOurs = message.run_id() == options_.rules.runId && incoming.userId != kMonitorUser;
    const auto asks = processOf(incoming.userId);
    if (isOurs && asks && asks->role == wire::ROLE_AGENT) askingAgent_ = incoming.userId;
    if (!isOurs)
        ++core_.counters().foreign;
    else if (!checkpoints_ || !checkpoints_->ask({incoming.routingId, incoming.userId, message}))
        ++core_.counters().undelivered;  // who asked asks again
    return true;
}

/// A few pieces a turn: what else there is to send comes between them.
void Coordinator::Loop::sendFetched() {
    if (!checkpoints_) return;
    for (auto& [connection, message] : checkpoints_->takeAnswers()) {
        message.set_run_id(options_.rules.runId);
        const auto bytes = wire::encode(std::move(message));
        const auto sent = bytes ? members_->send(connection, *bytes) : fail(bytes.error());
        if (!sent || *sent != wire::Sent::Yes) ++core_.counters().undelivered;
    }
}

void Coordinator::Loop::performAll() {
    for (auto actions = core_.takeActions(); !actions.empty(); actions = core_.takeActions())
        perform(actions);
}

void Coordinator::Loop::perform(const std::vector<Action>& actions) {
    publishUntold();  // before anybody hears of an end: this process itself may be the first
    for (const Action& action : actions) {
        if (const auto* send = std::get_if<SendAction>(&action);
            send != nullptr && send->onceWritten)
            onceWritten_.hold(writer_->end(), *send);
        else if (send != nullptr)
            sendToMember(*send);
        else if (const auto* append = std::get_if<AppendAction>(&action))
            core_.settle(*append, writer_->append(append->record, append->worth).has_value());
        else {
            Lock lock(mutex_);
            if (core_.generation() == expected_) outcome_ = std::get<FinishAction>(action).outcome;
            copies_ = core_.copies();
            changed_.notify_all();
        }
    }
}

void Coordinator::Loop::sendToMember(const SendAction& action) {
    const auto bytes =
        wire::encode(isAboutClocks(action.message) ? withTime(action.message) : action.message);
    const auto sent = bytes ? members_->send(action.connection, *bytes) : fail(bytes.error());
    if (sent && *sent == wire::Sent::Yes) return;
    ++core_.counters().undelivered;
    if (sent && *sent == wire::Sent::Gone) core_.connectionGone(action.connection);
}

/// Only this thread appends: what waits for the disk is the end of what was appended.
void Coordinator::Loop::sendWritten() {
    onceWritten_.keepOnly(core_.generation());
    if (onceWritten_.empty()) return;
    const telemetry::JournalStatus status = writer_->status();
    diskHangs_ = status.stalledFor >= kHanging;
    for (const SendAction& answer : onceWritten_.take(writer_->end() - status.waitingBytes))
        sendToMember(answer);
}

void Coordinator::Loop::watchJournal(Instant at) {
    if (const auto sentence = journalWatch_.look(writer_->status(), at.now)) warn(*sentence, at);
}

void Coordinator::Loop::warn(const std::string& sentence, Instant at) {
    wire::Record record;
    record.mutable_log()->set_role(wire::ROLE_AGENT);
    record.mutable_log()->set_level(static_cast<std::uint32_t>(LogLevel::Warning));
    record.mutable_log()->set_text(wire::validUtf8(sentence));
    core_.appendRecord(record, at);
}

JournalReport Coordinator::Loop::settleJournal(Nanos timeout) {
    std::ignore = writer_->flush(timeout);  // the status tells
    const telemetry::JournalStatus status = writer_->status();
    return {status.lostRecords, missingRecords(status)};
}

void Coordinator::Loop::lingerFor(Nanos linger) {
    runCommands(present());  // what was asked for before the shutdown still counts
    monitors_.showAll();
    const Nanos deadline = SteadyClock::read() + linger;
    bool more = monitors_.feed();
    while (SteadyClock::read() < deadline && (more || monitors_.unread(awaitReader_))) {
        if (!turn(more ? Nanos{} : Nanos(5ms))) return;
        more = monitors_.feed();
    }
    publishCounters();
}

void Coordinator::Loop::publishUntold() {
    Lock lock(mutex_);
    const std::size_t untold = core_.untold();
    if (untold != untold_) changed_.notify_all();
    untold_ = untold;
}

void Coordinator::Loop::publishCounters() {
    Counters counters = core_.counters();
    counters.malformed += members_->malformedCount() + monitors_.socket().malformedCount();
    counters.refusedPeers = authenticator_->refusedCount();
    counters.lostRecords = writer_->status().lostRecords;
    Lock lock(mutex_);
    counters_ = counters;
    copies_ = core_.copies();
    killRequested_ = core_.killRequested();
}

void Coordinator::Loop::endWith(Error error) {
    Lock lock(mutex_);
    if (!failure_) failure_ = std::move(error).within("the coordinator's sockets");
    changed_.notify_all();
}

void Coordinator::Loop::shutdown(Nanos linger, bool awaitReader) {
    if (!thread_.joinable()) return;
    awaitReader_ = awaitReader;
    linger_ = linger.count();
    thread_.request_stop();
    wakeup_.notify();
    thread_.join();
}

bool Coordinator::Loop::post(Command command, Nanos patience) {
    const bool posted = commands_.pushWithin(command, patience);
    if (posted) wakeup_.notify();
    return posted;
}

bool Coordinator::Loop::postSample(Command command) {
    return commands_.size() < kCommands - kCommandsKept && post(std::move(command), Nanos{});
}

void Coordinator::Loop::expectGeneration(std::uint32_t generation) {
    Lock lock(mutex_);
    expected_ = generation;
    outcome_.reset();
}

Result<Outcome> Coordinator::Loop::waitOutcome(Nanos timeout) {
    Lock lock(mutex_);
    changed_.wait_for(mutex_, timeout,
                      [this]() LS_REQUIRES(mutex_) { return outcome_ || failure_; });
    if (outcome_) return *outcome_;
    if (failure_) return fail(*failure_);
    return fail(ErrorCode::Timeout, "the run has not ended yet");
}

CopyTally Coordinator::Loop::copies() const {
    Lock lock(mutex_);
    return copies_;
}

bool Coordinator::Loop::awaitTold(Nanos timeout) {
    Lock lock(mutex_);
    changed_.wait_for(mutex_, timeout,
                      [this]() LS_REQUIRES(mutex_) { return untold_ == 0 || failure_; });
    return untold_ == 0;
}

Counters Coordinator::Loop::counters() const {
    Lock lock(mutex_);
    return counters_;
}

}  // namespace lockstep::coordination
