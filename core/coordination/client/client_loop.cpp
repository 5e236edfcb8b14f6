// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/client_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/record_clock.h"
#include "core/base/thread.h"
#include "core/coordination/client/repeat_times.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/coordination/health/heartbeat_times.h"
#include "core/coordination/state/drill_refusals.h"
#include "core/coordination/state/sentences.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kStartPatience = 10s;
constexpr Nanos kTurn = 100ms;
constexpr Nanos kStatePatience = 1s;
constexpr std::size_t kOutbox = 4096;

}  // namespace

Client::Loop::Loop(wire::Context context, ClientOptions options, ClientCallbacks callbacks,
                   wire::Wakeup wakeup)
    : context_(std::move(context)),
      options_(std::move(options)),
      interval_(heartbeatInterval(options_.heartbeatInterval, options_.heartbeatTimeout)),
      callbacks_(std::move(callbacks)),
      wakeup_(std::move(wakeup)),
      coordinator_(options_.endpoint, {interval_, options_.heartbeatTimeout}) {}

Client::Loop::~Loop() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    wakeup_.notify();
    thread_.join();
}

Result<void> Client::Loop::start() {
    auto started = std::make_shared<std::promise<Result<void>>>();
    auto result = started->get_future();
    thread_ = startThread("control",
                          [this, started](const std::stop_token& stop) { run(stop, *started); });
    if (result.wait_for(kStartPatience) != std::future_status::ready)
        return fail(ErrorCode::Timeout, "the thread of the coordinator's client did not come up");
    return result.get();
}

void Client::Loop::run(const std::stop_token& stop, std::promise<Result<void>>& started) {
    auto socket = wire::ClientSocket::connect(context_, options_.endpoint, options_.serverPublicKey,
                                              options_.keys);
    if (!socket) return started.set_value(fail(std::move(socket.error())));
    started.set_value({});
    socket_ = std::move(*socket);
    coordinator_.begin(SteadyClock::read());
    while (!stop.stop_requested()) {
        const Nanos now = SteadyClock::read();
        if (auto turned = turn(now); !turned) {
            abortWith(turned.error().message);
            break;
        }
    }
    socket_.reset();
}

Result<void> Client::Loop::turn(Nanos now) {
    coordinator_.noteTurn(now);
    receiveAll(now);
    checkLink(now);
    beat(now);
    sendRepeats(now);
    drain(now);
    const std::array<wire::Pollable*, 1> sockets{socket_.get()};
    const Nanos next = std::min(nextBeat_, nextQuestion_ > now ? nextQuestion_ : nextBeat_);
    const Nanos patience = std::clamp<Nanos>(next - now, 1ms, kTurn);
    auto waited = wire::waitReadable(sockets, &wakeup_, patience);
    if (!waited) return fail(std::move(waited.error()));
    wakeup_.drain();
    return {};
}

bool Client::Loop::accepts(const wire::FromCoordinator& message) const {
    if (message.run_id() != options_.runId && !message.has_refused()) return false;
    return message.generation() == options_.generation || message.has_refused() ||
           message.has_abort() || isAgent();
}

void Client::Loop::receiveAll(Nanos now) {
    for (;;) {
        auto bytes = socket_->receive();
        if (!bytes || !*bytes) return;  // an error shows itself again in waitReadable
        const auto message = wire::decode<wire::FromCoordinator>(**bytes);
        if (!message) {
            if (message.error().code != ErrorCode::BadInput) continue;
            Lock lock(mutex_);
            refused_ = message.error();
            changed_.notify_all();
            continue;
        }
        if (!accepts(*message)) continue;
        coordinator_.heard(now);
        Notices notices;
        take(*message, notices);
        if (message->has_abort()) confirmEnd();  // who is called may end the process
        call(notices);
    }
}

void Client::Loop::take(const wire::FromCoordinator& message, Notices& notices) {
    Lock lock(mutex_);
    if (window_.confirm(message.acknowledged())) {
        repeatPatience_ = Nanos{};
        changed_.notify_all();
    }
    if (message.has_welcome()) {
        welcome_ = message.welcome();
        if (clock_.wantsMore()) ping();  // a process may end before its next heartbeat
        if (isAgent()) notices.generation = message.generation();
    } else if (message.has_begin_generation()) {
        notices.generation = message.generation();
    } else if (message.has_run_over()) {
        notices.runOver = message.run_over();
    } else if (message.has_refused()) {
        refused_ = Error{ErrorCode::Unavailable, message.refused().sentence()};
        isRefusedByThisStart_ = message.refused().of_this_start();
    } else if (message.has_value() && (message.value().request() & kClockQuestion) != 0) {
        noteClock(message.value());
    } else if (message.has_value() || message.has_barrier_done()) {
        if (!requests_.take(message)) return;
    } else if (message.has_abort() && !aborted_) {
        if (!isAgent()) aborted_ = message.abort().cause();
        // Told that its own life is over before that began: it is a former one's that is meant.
        isRefusedByThisStart_ |=
            !welcome_ && options_.self.role() == wire::ROLE_WORKER &&
            message.abort().process_id() == static_cast<std::int32_t>(options_.self.process_id());
        notices.abort = message.abort();
    } else if (message.has_stop() && !stopped_) {
        stopped_ = true;
        notices.stop = message.stop().reason();
    } else if (message.has_inflict()) {
        notices.inflict = message.inflict();
    } else if (message.has_tell_stacks()) {
        notices.tellStacks = message.tell_stacks();
    } else if (message.has_probe_links()) {
        notices.probeLinks = message.probe_links();
    } else if (message.has_leave_ack()) {
        left_ = true;
    }
    changed_.notify_all();
}

void Client::Loop::call(const Notices& notices) {
    if (notices.abort && callbacks_.onAbort)
        callbacks_.onAbort(notices.abort->cause(), notices.abort->process_id());
    if (notices.stop && callbacks_.onStop) callbacks_.onStop(*notices.stop);
    if (notices.inflict) inflict(*notices.inflict);
    if (notices.tellStacks && callbacks_.onTellStacks) callbacks_.onTellStacks(*notices.tellStacks);
    if (notices.probeLinks && callbacks_.onProbeLinks) callbacks_.onProbeLinks(*notices.probeLinks);
    if (notices.lost && callbacks_.onLost) callbacks_.onLost(*notices.lost);
    if (notices.generation && callbacks_.onGeneration) callbacks_.onGeneration(*notices.generation);
    if (notices.runOver && callbacks_.onRunOver) callbacks_.onRunOver(*notices.runOver);
}

void Client::Loop::inflict(const wire::DrillRequest& order) {
    if (callbacks_.onInflict) return callbacks_.onInflict(order);
    wire::Record record;
    record.set_wall_time(recordSeconds());
    wire::Drill& drill = *record.mutable_drill();
    drill.set_id(order.id());
    drill.set_kind(order.kind());
    drill.set_process_id(order.process_id());
    drill.set_phase(wire::DRILL_PHASE_REFUSED);
    drill.set_sentence(std::string(refusals::kOwnProgram));
    Lock lock(mutex_);
    std::ignore = records_.push(record, record.SerializeAsString());  // told again, said again
}

void Client::Loop::abortWith(const std::string& cause) {
    Notices notices;
    {
        Lock lock(mutex_);
        if (aborted_ || left_) return;
        aborted_ = cause;
        coordinatorLost_ = true;
        if (callbacks_.onLost) {
            notices.lost = cause;
        } else {
            notices.abort.emplace().set_cause(cause);
            notices.abort->set_process_id(-1);
        }
        changed_.notify_all();
    }
    call(notices);
}

void Client::Loop::checkLink(Nanos now) {
    const wire::LinkStatus& link = socket_->status();
    const bool hopeless =
        link.state == wire::LinkState::Refused || link.state == wire::LinkState::WrongServer;
    bool welcome = false;
    {
        Lock lock(mutex_);
        repeatUnconfirmed(link, now);
        welcome = welcome_.has_value();
        if (hopeless && !welcome && !refused_) {
            refused_ = Error{ErrorCode::Unavailable, link.sentence};
            changed_.notify_all();
        }
    }
    if (!welcome) {
        coordinator_.heard(now);  // join() has its own deadline
        return;
    }
    if (const auto lost = coordinator_.judge(link, now)) abortWith(*lost);
}

/// The heartbeat, and a question whose answer shows that the coordinator lives.
void Client::Loop::beat(Nanos now) {
    if (now < nextBeat_) return;
    nextBeat_ = now + interval_;
    bool welcome = false;
    {
        Lock lock(mutex_);
        if (!joining_ || left_) return;
        welcome = welcome_.has_value();
    }
    wire::Record record;
    record.set_wall_time(recordSeconds());
    wire::Heartbeat& heartbeat = *record.mutable_heartbeat();
    if (welcome && callbacks_.fillHeartbeat) callbacks_.fillHeartbeat(heartbeat);
    heartbeat.set_process_id(options_.self.process_id());
    heartbeat.set_role(options_.self.role());
    heartbeat.set_incarnation(options_.incarnation);
    heartbeat.set_sequence(++heartbeats_);
    wire::ToCoordinator message = envelope();
    message.mutable_records()->add_records(record.SerializeAsString());
    std::ignore = trySend(std::move(message));  // a full queue: the next beat tells the same
    ping();
}

void Client::Loop::ping() {
    wire::ToCoordinator question = envelope();
    question.mutable_get()->set_request(kClockQuestion | clock_.ask(recordSeconds()));
    question.mutable_get()->set_key(std::string(kAliveKey));
    question.set_knows_end(knowsEnd_);
    std::ignore = trySend(std::move(question));
}

/// The coordinator's time has come: the first ones are asked for in a row, since a process may be
/// short-lived.
void Client::Loop::noteClock(const wire::Value& answer) {
    const bool isUsed =
        clock_.hear(answer.request() & ~kClockQuestion, answer.wall_time(), recordSeconds());
    if (isUsed && clock_.wantsMore()) ping();
    const auto news = clock_.takeNews();
    if (!news) return;
    wire::Record record;
    record.set_wall_time(recordSeconds());
    wire::ClockOffset& offset = *record.mutable_clock_offset();
    offset.set_process_id(options_.self.process_id());
    offset.set_role(options_.self.role());
    offset.set_incarnation(options_.incarnation);
    offset.set_offset_seconds(news->offset);
    offset.set_round_trip_seconds(news->roundTrip);
    std::ignore = records_.push(record, record.SerializeAsString());  // no room: the next one tells
}

void Client::Loop::sendRepeats(Nanos now) {
    Lock lock(mutex_);
    if (joining_ && !welcome_ && !refused_ && !aborted_ && now >= nextRegister_) {
        nextRegister_ = now + kRepeat;
        wire::ToCoordinator message = envelope();
        *message.mutable_register_() = options_.self;
        message.mutable_register_()->set_tells_stacks(callbacks_.onTellStacks != nullptr);
        registering_ = trySend(std::move(message)) || registering_;
    }
    requests_.askDue(now,
                     [this](const wire::ToCoordinator& question) { return trySend(question); });
}

bool Client::Loop::trySend(wire::ToCoordinator message) {
    const auto bytes = wire::encode(std::move(message));
    if (!bytes) return true;  // no later attempt could do better; callers check their sizes
    const auto sent = socket_->trySend(*bytes);
    return sent && *sent == wire::Sent::Yes;
}

wire::ToCoordinator Client::Loop::envelope() const {
    wire::ToCoordinator message;
    message.set_run_id(options_.runId);
    message.set_generation(options_.generation);
    message.set_incarnation(options_.incarnation);
    return message;
}

tl::unexpected<Error> Client::Loop::abortError() const {
    return fail(ErrorCode::PeerLost, *aborted_);
}

Result<wire::Welcome> Client::Loop::join(Nanos timeout) {
    Lock lock(mutex_);
    joining_ = true;
    wakeup_.notify();
    changed_.wait_for(mutex_, timeout, [this]() LS_REQUIRES(mutex_) {
        return welcome_ || refused_ || aborted_ || stopped_;
    });
    if (welcome_) return *welcome_;
    if (refused_) return fail(*refused_);
    if (stopped_) return fail(ErrorCode::Cancelled, "the run was stopped before it began");
    if (aborted_) return abortError();
    return fail(ErrorCode::Timeout,
                fmt::format("the coordinator at {} did not welcome this process within {}",
                            options_.endpoint, secondsText(timeout)),
                "Check that it runs there and that all processes of the job were started.");
}

bool Client::Loop::isRefusedByThisStartAlone() const {
    Lock lock(mutex_);
    return isRefusedByThisStart_;
}

Result<void> Client::Loop::post(wire::ToCoordinator message) {
    const wire::ToCoordinator own = envelope();
    message.set_run_id(own.run_id());
    message.set_incarnation(own.incarnation());
    const bool isOfItsOwn = message.has_process_exit() || message.has_process_held();
    if (!isOfItsOwn) message.set_generation(own.generation());
    Lock lock(mutex_);
    if (aborted_) return abortError();
    if (outbox_.size() >= kOutbox)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} messages to the coordinator wait already", kOutbox));
    outbox_.push_back(std::move(message));
    wakeup_.notify();
    return {};
}

Result<std::string> Client::Loop::request(const wire::ToCoordinator& message, Nanos timeout) {
    Lock lock(mutex_);
    if (aborted_) return abortError();
    wire::ToCoordinator question = envelope();
    question.MergeFrom(message);
    const std::uint64_t number = requests_.add(std::move(question));
    wakeup_.notify();
    changed_.wait_for(mutex_, timeout, [&]() LS_REQUIRES(mutex_) {
        return requests_.answered(number) || aborted_ || questionsOver_;
    });
    if (auto answer = requests_.finish(number)) return std::move(*answer);
    if (aborted_) return abortError();
    if (questionsOver_) return fail(ErrorCode::Cancelled, "nobody waits for the answer any more");
    return fail(ErrorCode::Timeout,
                fmt::format("the coordinator at {} does not answer", options_.endpoint));
}

void Client::Loop::cancelQuestions() {
    Lock lock(mutex_);
    questionsOver_ = true;
    changed_.notify_all();
}

Result<void> Client::Loop::sendRecord(const wire::Record& record, std::string bytes) {
    Lock lock(mutex_);
    auto pushed = records_.push(record, bytes);
    if (pushed == RecordOutbox::Pushed::Full) {
        wakeup_.notify();
        changed_.wait_for(mutex_, kStatePatience, [&]() LS_REQUIRES(mutex_) {
            if (pushed == RecordOutbox::Pushed::Full) pushed = records_.push(record, bytes);
            return pushed != RecordOutbox::Pushed::Full || aborted_;
        });
    }
    if (pushed == RecordOutbox::Pushed::Full)
        return fail(ErrorCode::Unavailable, "the coordinator does not take this process's records");
    wakeup_.notify();
    return {};
}

Result<void> Client::Loop::flush(Nanos timeout) {
    Lock lock(mutex_);
    if (coordinatorLost_) return abortError();
    ++flushes_;
    wakeup_.notify();
    const bool taken = changed_.wait_for(mutex_, timeout, [this]() LS_REQUIRES(mutex_) {
        return allConfirmed() || coordinatorLost_;
    });
    --flushes_;
    if (coordinatorLost_) return abortError();
    if (taken) return {};
    return fail(ErrorCode::Timeout, "the coordinator does not take this process's records");
}

bool Client::Loop::waitAborted(Nanos timeout) {
    Lock lock(mutex_);
    return changed_.wait_for(mutex_, timeout,
                             [this]() LS_REQUIRES(mutex_) { return aborted_.has_value(); });
}

Result<void> Client::Loop::leave(const wire::Leave& leave, Nanos timeout) {
    wire::ToCoordinator message = envelope();
    *message.mutable_leave() = leave;
    if (const auto fits = wire::encode(std::move(message)); !fits)
        return failWithin("telling the coordinator how this process ended", fits.error());
    Lock lock(mutex_);
    leaving_ = leave;
    wakeup_.notify();
    changed_.wait_for(mutex_, timeout, [this]() LS_REQUIRES(mutex_) { return left_ || aborted_; });
    if (left_) return {};
    if (aborted_) return abortError();
    return fail(ErrorCode::Timeout,
                fmt::format("the coordinator at {} did not confirm within {} that this process "
                            "leaves",
                            options_.endpoint, secondsText(timeout)));
}

}  // namespace lockstep::coordination
