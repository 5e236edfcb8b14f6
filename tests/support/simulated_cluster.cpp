// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simulated_cluster.h"

#include <algorithm>

#include "core/wire/codec.h"

namespace lockstep::tests {

using namespace lockstep::coordination;
using namespace std::chrono_literals;

namespace {

constexpr Nanos kEnd = 600s;  // of virtual time; every job must have ended long before
constexpr std::size_t kNobody = SIZE_MAX;

}  // namespace

const char* faultName(Fault fault) {
    constexpr const char* kNames[kFaults] = {"none",      "killed",    "silent",    "cut",
                                             "missing",   "own error", "bad input", "second life",
                                             "evaluator", "stopped"};
    return kNames[static_cast<int>(fault)];
}

SimulatedCluster::SimulatedCluster(std::uint64_t seed, const std::function<void(JobRules&)>& plant)
    : rng_(seed, 77) {
    rules_.runId = "simulated";
    rules_.workers = 1 + rng_.nextBelow(8);
    rules_.evaluators = chance(50) ? 1 : 0;
    rules_.initializationTimeout = 30s;
    rules_.drainTimeout = 20s;
    totalSteps_ = 5 + rng_.nextBelow(150);
    stepTime_ = Millis(20 + rng_.nextBelow(200));
    plan();
    if (plant) plant(rules_);
    core_.emplace(rules_, instant());
    perform(kNobody);
}

void SimulatedCluster::plan() {
    report_.fault = static_cast<Fault>(rng_.nextBelow(kFaults));
    if (report_.fault == Fault::EvaluatorDies) rules_.evaluators = 1;
    report_.workers = rules_.workers;
    report_.victim = rng_.nextBelow(rules_.workers);
    const std::uint32_t count = rules_.workers + rules_.evaluators;
    for (std::uint32_t index = 0; index < count; ++index) {
        Process process;
        const bool worker = index < rules_.workers;
        process.key =
            worker ? ProcessKey{wire::ROLE_WORKER, index} : ProcessKey{wire::ROLE_EVALUATOR, 0};
        process.connection = "connection " + std::to_string(index);
        process.incarnation = 1000 + index;
        if (report_.fault == Fault::Missing && worker && (index == report_.victim || chance(30))) {
            process.present = false;
            report_.missing.insert(static_cast<int>(index));
        }
        processes_.push_back(process);
    }
    victimIndex_ = report_.fault == Fault::EvaluatorDies ? rules_.workers : report_.victim;
    if (report_.fault == Fault::SecondLife) {
        Process twin = processes_[victimIndex_];
        twin.connection = "connection of a second life";
        twin.incarnation = 2000;
        processes_.push_back(twin);
    }
    for (std::size_t index = 0; index < processes_.size(); ++index)
        connections_[processes_[index].connection] = index;
}

Instant SimulatedCluster::instant() const {
    return {now_ + 1h, 1.0 + Seconds(now_).count()};
}

Nanos SimulatedCluster::upTo(Nanos limit) {
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(limit).count();
    return std::chrono::microseconds(rng_.nextBelow(static_cast<std::uint32_t>(micros) + 1));
}

void SimulatedCluster::later(Nanos delay, std::function<void()> action) {
    events_.push({now_ + delay, ++order_, std::move(action)});
}

SimulationReport SimulatedCluster::run() {
    for (std::size_t index = 0; index < processes_.size(); ++index) {
        const bool twin = processes_[index].incarnation == 2000;
        if (!processes_[index].present) continue;
        later(twin ? 3s + upTo(3s) : upTo(2s), [this, index] { start(index); });
    }
    const Nanos training = stepTime_ * static_cast<std::int64_t>(totalSteps_);
    later(upTo(3s + training), [this] { strike(); });
    tick();
    while (!events_.empty() && now_ < kEnd) {
        const Event event = events_.top();
        events_.pop();
        now_ = event.at;
        mix(static_cast<std::uint64_t>(now_.count()));
        event.action();
        if (endedAt_ && now_ > *endedAt_ + 30s) break;  // until then stragglers may speak
    }
    return report_;
}

void SimulatedCluster::tick() {
    core_->tick(instant());
    perform(kNobody);
    later(100ms, [this] { tick(); });
}

void SimulatedCluster::strike() {
    Process& victim = processes_[victimIndex_];
    switch (report_.fault) {
        case Fault::Killed:
        case Fault::EvaluatorDies:
            if (victim.left || (victim.leaving && !victim.alive)) return;
            victim.alive = victim.present = false;
            endProcess(victimIndex_, true, 9);
            if (!victim.leaving) noticeLostPeers(victimIndex_);  // else nobody needs it any more
            return;
        case Fault::Silent:
            victim.silent = true;
            later(12s + upTo(10s), [this] { processes_[victimIndex_].silent = false; });
            return;
        case Fault::Cut:
            cutFrom_ = now_;
            cutUntil_ = now_ + 500ms + upTo(5s);
            return;
        case Fault::OwnError: {
            if (!victim.welcome || victim.leaving || !victim.alive) return;
            wire::ToCoordinator message;
            message.mutable_report_error()->set_cause("the loss is not a number");
            message.mutable_report_error()->set_step(victim.step);
            victim.training = false;
            send(victimIndex_, message);
            return noticeLostPeers(victimIndex_);
        }
        case Fault::Stopped:
            core_->requestStop(instant());
            return perform(kNobody);
        default:
            return;
    }
}

void SimulatedCluster::start(std::size_t index) {
    Process& process = processes_[index];
    if (!process.present) return;
    const bool refusesItsInput = report_.fault == Fault::BadInput && index == victimIndex_;
    if (refusesItsInput) return endProcess(index, false, 2);
    const bool first = !process.alive;
    process.alive = true;
    if (process.welcome || process.leaving) return;
    wire::ToCoordinator message;
    wire::Register& facts = *message.mutable_register_();
    facts.set_role(process.key.role);
    facts.set_process_id(process.key.id);
    facts.set_host("host" + std::to_string(process.key.id / 2));
    facts.set_host_group(facts.host());
    facts.set_replicas(1 + process.key.id % 2);
    facts.set_build("b");
    send(index, std::move(message));
    later(2s, [this, index] { start(index); });
    if (first) beat(index);
}

void SimulatedCluster::beat(std::size_t index) {
    Process& process = processes_[index];
    if (!process.alive || process.left) return;
    wire::Record record;
    wire::Heartbeat& heartbeat = *record.mutable_heartbeat();
    heartbeat.set_process_id(process.key.id);
    heartbeat.set_role(process.key.role);
    heartbeat.set_incarnation(process.incarnation);
    heartbeat.set_sequence(++process.sequence);
    wire::ToCoordinator message;
    message.mutable_records()->add_records(record.SerializeAsString());
    send(index, std::move(message));
    later(1s, [this, index] { beat(index); });
}

/// Replicas advance together: nobody completes a step that somebody has not begun.
void SimulatedCluster::train(std::size_t index) {
    Process& process = processes_[index];
    if (!process.alive || !process.training || process.leaving) return;
    std::uint64_t slowest = UINT64_MAX;
    bool stopping = false;
    for (std::size_t id = 0; id < rules_.workers; ++id) {
        const Process& other = processes_[id];
        const bool moves = other.alive && other.training && !other.silent;
        slowest = std::min(slowest, moves || other.leaving ? other.step + (other.leaving ? 1 : 0)
                                                           : std::uint64_t{0});
        stopping = stopping || other.stopping;
    }
    if (process.step <= slowest && !process.silent) ++process.step;
    const bool told = stopping && process.stopping;
    if (told) return leave(index, "stopped");
    if (process.step >= totalSteps_) return leave(index, "completed");
    later(stepTime_ / 2 + upTo(stepTime_), [this, index] { train(index); });
}

void SimulatedCluster::leave(std::size_t index, const std::string& status) {
    processes_[index].leaving = true;
    processes_[index].leaveStatus = status;
    repeatLeave(index);
}

void SimulatedCluster::repeatLeave(std::size_t index) {
    Process& process = processes_[index];
    if (process.left || !process.alive) return;
    wire::ToCoordinator message;
    message.mutable_leave()->set_status(process.leaveStatus);
    message.mutable_leave()->set_summary_json("{}");
    send(index, std::move(message));
    later(2s, [this, index] { repeatLeave(index); });
}

void SimulatedCluster::hear(std::size_t index, const wire::FromCoordinator& message) {
    Process& process = processes_[index];
    if (!process.alive || process.silent) return;
    if (message.has_welcome() && !process.welcome) {
        process.welcome = true;
        if (process.incarnation == 2000) ++report_.secondLivesWelcome;
        wire::ToCoordinator next;
        const bool worker = process.key.role == wire::ROLE_WORKER;
        if (worker) {
            next.mutable_barrier()->set_request(1);
            next.mutable_barrier()->set_name("start");
            next.mutable_barrier()->set_timeout_ms(60000);
        } else {
            next.mutable_get()->set_request(1);
            next.mutable_get()->set_key(std::string(kRunEndedKey));
            next.mutable_get()->set_timeout_ms(3600000);
        }
        process.inBarrier = true;
        auto repeat = std::make_shared<std::function<void()>>();
        *repeat = [this, index, next, weak = std::weak_ptr(repeat)] {
            const auto self = weak.lock();
            if (!self || !processes_[index].inBarrier || !processes_[index].alive) return;
            send(index, next);
            later(2s, [self] { (*self)(); });
        };
        (*repeat)();
    } else if (message.has_barrier_done() && process.inBarrier) {
        process.inBarrier = false;
        if (!message.barrier_done().error().empty()) return;
        process.training = true;
        train(index);
    } else if (message.has_value() && process.inBarrier) {
        process.inBarrier = false;
        if (message.value().error().empty()) leave(index, "completed");
    } else if (message.has_stop()) {
        process.stopping = true;
        if (!process.welcome) endProcess(index, false, 3);
    } else if (message.has_abort() || message.has_refused()) {
        endProcess(index, false, 1);
    } else if (message.has_leave_ack()) {
        process.left = true;
        endProcess(index, false, 0);
    }
}

/// The process is no more; its agent sees it and says so, over a connection of its own.
void SimulatedCluster::endProcess(std::size_t index, bool signalled, int status) {
    Process& process = processes_[index];
    process.alive = false;
    wire::ProcessExit exit;
    exit.set_process_id(process.key.id);
    exit.set_role(process.key.role);
    exit.set_incarnation(process.incarnation);
    exit.set_signalled(signalled);
    exit.set_status(status);
    later(upTo(400ms), [this, index, exit] {
        faultKnown_ = faultKnown_ || index == victimIndex_;
        core_->processExited(exit, 0, instant());
        perform(kNobody);
    });
}

/// Survivors see the broken collective at once, and mostly before anybody knows the cause.
void SimulatedCluster::noticeLostPeers(std::size_t lost) {
    for (std::size_t index = 0; index < rules_.workers; ++index) {
        if (index == lost || lost >= rules_.workers) continue;
        later(5ms + upTo(80ms), [this, index] {
            Process& process = processes_[index];
            if (!process.alive || !process.training || process.leaving) return;
            process.training = false;
            wire::ToCoordinator message;
            message.mutable_report_error()->set_cause("lost the connection to another replica");
            message.mutable_report_error()->set_secondary(true);
            send(index, std::move(message));
            if (chance(50))
                later(upTo(50ms), [this, index] {
                    if (processes_[index].alive) endProcess(index, false, 1);
                });
        });
    }
}

void SimulatedCluster::send(std::size_t index, wire::ToCoordinator message) {
    Process& process = processes_[index];
    if (!process.alive || process.silent) return;
    message.set_protocol(wire::kProtocol);
    message.set_run_id(rules_.runId);
    message.set_incarnation(process.incarnation);
    const bool cut = index == victimIndex_ && now_ >= cutFrom_ && now_ < cutUntil_;
    if (cut) {
        ++report_.dropped;
        return;
    }
    const int copies = chance(3) ? 2 : 1;
    report_.duplicates += static_cast<std::uint64_t>(copies - 1);
    for (int copy = 0; copy < copies; ++copy) {
        process.lastArrival = std::max(process.lastArrival, now_ + 100us + upTo(50ms));
        later(process.lastArrival - now_, [this, index, message] { deliver(index, message); });
    }
}

void SimulatedCluster::deliver(std::size_t index, const wire::ToCoordinator& message) {
    const Process& process = processes_[index];
    core_->receive({process.connection, userIdOf(process.key)}, message, instant());
    const bool decides = index == 0 || index == victimIndex_;
    if (message.has_leave() && decides && !faultKnown_) report_.tooLate = true;
    perform(index);
}

void SimulatedCluster::perform(std::size_t speaker) {
    const bool fenced = speaker != kNobody && fenced_.contains(speaker);
    for (const Action& action : core_->takeActions()) {
        if (const auto* finish = std::get_if<FinishAction>(&action)) {
            report_.outcomes.push_back(finish->outcome);
            endedAt_ = now_;
        } else if (const auto* append = std::get_if<AppendAction>(&action)) {
            if (fenced) ++report_.spokenByFenced;
            core_->settle(*append, true);
            note(*wire::decode<wire::Record>(append->record));
            mix(append->record.size());
        } else {
            const auto& send = std::get<SendAction>(action);
            const std::size_t index = connections_.at(send.connection);
            if (index == victimIndex_ && now_ >= cutFrom_ && now_ < cutUntil_) continue;
            Process& to = processes_[index];
            to.lastReply = std::max(to.lastReply, now_ + 100us + upTo(50ms));
            later(to.lastReply - now_,
                  [this, index, message = send.message] { hear(index, message); });
        }
    }
}

void SimulatedCluster::note(const wire::Record& record) {
    if (!record.has_failure()) return;
    const wire::Failure& failure = record.failure();
    report_.failures.push_back(failure);
    if (failure.cause().find("no heartbeat") == std::string::npos) return;
    fenced_.insert(failure.role() == wire::ROLE_EVALUATOR ? rules_.workers : failure.process_id());
}

void SimulatedCluster::mix(std::uint64_t word) {
    report_.eventHash = (report_.eventHash ^ word) * 0x9E3779B97F4A7C15ULL;
    report_.eventHash ^= report_.eventHash >> 29;
}

}  // namespace lockstep::tests
