// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/coordination/core/coordinator_core.h"
#include "core/wire/codec.h"

namespace lockstep::testsupport {

using namespace coordination;
using namespace std::chrono_literals;

/// The core, a clock to turn, and what came out.
class Stage {
public:
    explicit Stage(std::uint32_t workers, std::uint32_t evaluators = 0)
        : Stage(rules(workers, evaluators)) {}
    explicit Stage(JobRules rules) : core_(std::move(rules), at()) { collect(); }

    static JobRules rules(std::uint32_t workers, std::uint32_t evaluators) {
        JobRules rules;
        rules.runId = "r";
        rules.workers = workers;
        rules.evaluators = evaluators;
        return rules;
    }
    void pass(Nanos duration) {
        for (const Nanos end = now_ + duration; now_ < end;) {
            now_ += 100ms;
            core_.tick(at());
            collect();
        }
    }
    /// The coordinator's thread does not run for a while.
    void sleep(Nanos duration) { now_ += duration; }
    void say(const ProcessKey& key, wire::ToCoordinator message, std::uint64_t incarnation = 7) {
        message.set_protocol(wire::kProtocol);
        message.set_run_id("r");
        message.set_incarnation(incarnation);
        core_.receive({userIdOf(key), userIdOf(key)}, message, at());
        collect();
    }
    void join(const ProcessKey& key, std::uint64_t incarnation = 7,
              const std::string& build = "b") {
        wire::ToCoordinator message;
        message.set_generation(core_.generation());
        message.mutable_register_()->set_role(key.role);
        message.mutable_register_()->set_process_id(key.id);
        message.mutable_register_()->set_host(std::string("host") + char('A' + key.id));
        message.mutable_register_()->set_replicas(replicas);
        message.mutable_register_()->set_build(build);
        message.mutable_register_()->set_tells_stacks(tellsStacks);
        say(key, std::move(message), incarnation);
    }
    bool tellsStacks = true;     ///< Whoever joins.
    std::uint32_t replicas = 1;  ///< Of whoever joins.
    void joinWorkers(std::uint32_t count) {
        for (std::uint32_t id = 0; id < count; ++id)
            join({wire::ROLE_WORKER, id});
    }
    void beat(std::uint32_t id, wire::Phase phase, double seconds, std::uint64_t step,
              std::uint64_t points = 0) {
        wire::ReplicaProgress progress;
        progress.set_step(step);
        progress.set_phase(phase);
        progress.set_phase_seconds(static_cast<float>(seconds));
        progress.set_collective_points(points);
        beat(id, progress);
    }
    /// Of its one replica.
    void beat(std::uint32_t id, wire::ReplicaProgress progress) {
        progress.set_replica(id);
        wire::Record record;
        wire::Heartbeat& heartbeat = *record.mutable_heartbeat();
        heartbeat.set_process_id(id);
        heartbeat.set_incarnation(7);
        *heartbeat.add_replicas() = std::move(progress);
        write(id, record);
    }
    /// `seconds`: for so long it has been at the evaluation of a checkpoint; 0: it is at none.
    void beatOfEvaluator(double seconds = 0) {
        wire::Record record;
        record.mutable_heartbeat()->set_role(wire::ROLE_EVALUATOR);
        record.mutable_heartbeat()->set_incarnation(7);
        wire::ReplicaProgress& progress = *record.mutable_heartbeat()->add_replicas();
        progress.set_phase(seconds > 0 ? wire::PHASE_EVALUATE : wire::PHASE_WAITING);
        progress.set_phase_seconds(static_cast<float>(seconds));
        sayAsEvaluator(record);
    }
    void sayAsEvaluator(const wire::Record& record) {
        wire::ToCoordinator message;
        message.mutable_records()->add_records(record.SerializeAsString());
        say({wire::ROLE_EVALUATOR, 0}, std::move(message));
    }
    void write(std::uint32_t id, const wire::Record& record) {
        wire::ToCoordinator message;
        message.mutable_records()->add_records(record.SerializeAsString());
        say({wire::ROLE_WORKER, id}, std::move(message));
    }
    void measureSteps(std::uint32_t id, float microseconds) {
        wire::Record record;
        wire::StepBatch& steps = *record.mutable_steps();
        steps.set_replica(id);
        steps.set_first_step(1);
        for (auto* column :
             {steps.mutable_loss(), steps.mutable_accuracy(), steps.mutable_step_us(),
              steps.mutable_data_us(), steps.mutable_forward_us(), steps.mutable_backward_us(),
              steps.mutable_all_reduce_us(), steps.mutable_update_us()})
            column->Add(microseconds);
        write(id, record);
    }
    [[nodiscard]] std::string lastVerdict() const {
        for (auto record = records.rbegin(); record != records.rend(); ++record)
            if (record->has_verdict()) return record->verdict().sentence();
        return "none";
    }
    [[nodiscard]] std::string lastRefusal(const ProcessKey& key) const {
        for (auto message = sent.rbegin(); message != sent.rend(); ++message)
            if (message->first == userIdOf(key) && message->second.has_refused())
                return message->second.refused().sentence();
        return "none";
    }
    [[nodiscard]] CoordinatorCore& core() { return core_; }
    [[nodiscard]] Instant at() const { return {now_, 1}; }

    bool journalHasRoom = true;  ///< Else what is to be journalled is lost.
    std::vector<wire::Record> records;
    std::vector<std::pair<std::string, wire::FromCoordinator>> sent;
    std::vector<Outcome> outcomes;

private:
    void collect() {
        for (auto actions = core_.takeActions(); !actions.empty(); actions = core_.takeActions())
            for (Action& action : actions) {
                if (auto* send = std::get_if<SendAction>(&action))
                    sent.emplace_back(send->connection, std::move(send->message));
                else if (auto* append = std::get_if<AppendAction>(&action))
                    settle(*append);
                else
                    outcomes.push_back(std::get<FinishAction>(action).outcome);
            }
    }
    void settle(const AppendAction& append) {
        if (journalHasRoom) records.push_back(*wire::decode<wire::Record>(append.record));
        core_.settle(append, journalHasRoom);
    }
    Nanos now_ = 1h;
    CoordinatorCore core_;
};

constexpr ProcessKey worker(std::uint32_t id) {
    return {wire::ROLE_WORKER, id};
}

}  // namespace lockstep::testsupport
