// SPDX-License-Identifier: Apache-2.0
// Short words for the records of scripted runs.
#pragma once

#include <string>
#include <vector>

#include "core/wire/messages/record.pb.h"

namespace lockstep::job::test {

inline constexpr double kStart = 1'700'000'000;

inline wire::Record at(double seconds) {
    wire::Record record;
    record.set_wall_time(kStart + seconds);
    return record;
}

inline wire::Record runInfo(double seconds, std::uint32_t generation = 0,
                            std::uint64_t firstStep = 0) {
    wire::Record record = at(seconds);
    wire::RunInfo& info = *record.mutable_run_info();
    info.set_run_id("r1");
    info.set_name("mnist-mlp");
    info.set_job_toml("[cluster]\nheartbeat_timeout_seconds = 6\n");
    info.set_generation(generation);
    info.set_first_step(firstStep);
    info.set_total_steps(1000);
    info.set_steps_per_epoch(500);
    info.set_epochs(2);
    info.set_global_batch_size(32);
    info.set_replica_count(2);
    info.set_backend("shm");
    info.set_device("cpu");
    info.add_class_names("zero");
    return record;
}

inline wire::Record runState(double seconds, wire::RunState state, const std::string& sentence) {
    wire::Record record = at(seconds);
    record.mutable_run_state()->set_state(state);
    record.mutable_run_state()->set_sentence(sentence);
    return record;
}

inline wire::Record replicaInfo(double seconds, std::uint32_t process, std::uint32_t replica,
                                wire::Role role = wire::ROLE_WORKER) {
    wire::Record record = at(seconds);
    wire::ReplicaInfo& info = *record.mutable_replica_info();
    info.set_process_id(process);
    info.set_replica(replica);
    info.set_role(role);
    info.set_host("node-" + std::to_string(process));
    info.set_pid(1000 + process);
    info.set_device("cpu:0");
    return record;
}

inline wire::Record heartbeat(double seconds, std::uint32_t process, std::uint32_t replica,
                              std::uint64_t step, wire::Phase phase, float phaseSeconds = 0,
                              wire::Role role = wire::ROLE_WORKER) {
    wire::Record record = at(seconds);
    wire::Heartbeat& beat = *record.mutable_heartbeat();
    beat.set_process_id(process);
    beat.set_role(role);
    wire::ReplicaProgress& progress = *beat.add_replicas();
    progress.set_replica(replica);
    progress.set_step(step);
    progress.set_phase(phase);
    progress.set_phase_seconds(phaseSeconds);
    return record;
}

/// `count` steps of 10 ms, the first of which ends at `seconds`; its loss is 1 / step.
inline wire::Record steps(double seconds, std::uint32_t replica, std::uint64_t first, int count) {
    wire::Record record = at(seconds + 0.01 * (count - 1));
    wire::StepBatch& batch = *record.mutable_steps();
    batch.set_replica(replica);
    batch.set_first_step(first);
    batch.set_first_end_wall_time(kStart + seconds);
    for (int i = 0; i < count; ++i) {
        batch.add_loss(1.0F / static_cast<float>(first + static_cast<std::uint64_t>(i)));
        batch.add_accuracy(0.5F);
        batch.add_step_us(10'000);
        batch.add_data_us(1);
        batch.add_forward_us(2);
        batch.add_backward_us(3);
        batch.add_all_reduce_us(4);
        batch.add_update_us(5);
    }
    return record;
}

inline wire::Record failure(double seconds, std::uint32_t process, const std::string& cause) {
    wire::Record record = at(seconds);
    wire::Failure& failed = *record.mutable_failure();
    failed.set_process_id(process);
    failed.set_host("node-" + std::to_string(process));
    failed.set_cause(cause);
    failed.set_step(40);
    failed.set_detected_after_seconds(0.25);
    return record;
}

inline wire::Record verdict(double seconds, const std::string& sentence, std::uint32_t severity) {
    wire::Record record = at(seconds);
    record.mutable_verdict()->set_sentence(sentence);
    record.mutable_verdict()->set_severity(severity);
    return record;
}

inline wire::Record runEnd(double seconds, const std::string& status,
                           const std::string& summary = "{}") {
    wire::Record record = at(seconds);
    record.mutable_run_end()->set_status(status);
    record.mutable_run_end()->set_summary_json(summary);
    return record;
}

}  // namespace lockstep::job::test
