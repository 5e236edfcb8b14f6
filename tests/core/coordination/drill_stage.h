// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "tests/core/coordination/core_stage.h"

namespace lockstep::testsupport {

inline wire::DrillRequest orderOf(wire::DrillKind kind, std::uint32_t process = 1,
                                  double seconds = 0, const std::string& id = "d") {
    wire::DrillRequest order;
    order.set_id(id);
    order.set_kind(kind);
    order.set_process_id(process);
    order.set_seconds(seconds);
    return order;
}

/// All that the journal says of drills, in order.
inline std::vector<wire::Drill> drillsIn(const Stage& stage) {
    std::vector<wire::Drill> drills;
    for (const wire::Record& record : stage.records)
        if (record.has_drill()) drills.push_back(record.drill());
    return drills;
}

inline wire::Drill lastDrill(const Stage& stage) {
    const auto drills = drillsIn(stage);
    return drills.empty() ? wire::Drill() : drills.back();
}

inline std::size_t timesTold(const Stage& stage, std::uint32_t process) {
    return static_cast<std::size_t>(std::ranges::count_if(stage.sent, [&](const auto& message) {
        return message.first == userIdOf(worker(process)) && message.second.has_inflict();
    }));
}

inline void sayOfDrill(Stage& stage, std::uint32_t process, wire::DrillPhase phase,
                       std::uint64_t step, const std::string& id = "d") {
    wire::Record record;
    wire::Drill& news = *record.mutable_drill();
    news.set_id(id);
    news.set_process_id(process);
    news.set_phase(phase);
    news.set_sentence("it does it now");
    news.set_landed_step(step);
    stage.write(process, record);
}

inline void sayStep(Stage& stage, std::uint32_t replica, std::uint64_t step) {
    wire::Record record;
    wire::StepBatch& steps = *record.mutable_steps();
    steps.set_replica(replica);
    steps.set_first_step(step);
    for (auto* column :
         {steps.mutable_loss(), steps.mutable_accuracy(), steps.mutable_step_us(),
          steps.mutable_data_us(), steps.mutable_forward_us(), steps.mutable_backward_us(),
          steps.mutable_all_reduce_us(), steps.mutable_update_us()})
        column->Add(5000);
    stage.write(replica, record);
}

/// A step of so many milliseconds, of which those of its backward pass are given.
inline void sayTimes(Stage& stage, std::uint32_t replica, std::uint64_t step, float backward,
                     float whole) {
    wire::Record record;
    wire::StepBatch& steps = *record.mutable_steps();
    steps.set_replica(replica);
    steps.set_first_step(step);
    for (auto* column :
         {steps.mutable_loss(), steps.mutable_accuracy(), steps.mutable_data_us(),
          steps.mutable_forward_us(), steps.mutable_all_reduce_us(), steps.mutable_update_us()})
        column->Add(0);
    steps.add_backward_us(backward * 1000);
    steps.add_step_us(whole * 1000);
    stage.write(replica, record);
}

/// `outOfMemory`: the kernel has killed somebody meanwhile.
inline void endByKill(Stage& stage, std::uint32_t process, bool outOfMemory = false) {
    wire::ProcessExit exit;
    exit.set_process_id(process);
    exit.set_signalled(true);
    exit.set_status(SIGKILL);
    exit.set_incarnation(7);
    exit.set_out_of_memory(outOfMemory);
    stage.core().processExited(exit, 0, stage.at());
    stage.pass(1s);
}

inline void beginAnew(Stage& stage, std::uint64_t firstStep) {
    stage.core().beginGeneration(1, stage.at());
    for (std::uint32_t id = 0; id < 2; ++id) {
        wire::ToCoordinator message;
        message.set_generation(1);
        message.mutable_register_()->set_process_id(id);
        message.mutable_register_()->set_host("host");
        message.mutable_register_()->set_replicas(1);
        message.mutable_register_()->set_build("b");
        stage.say(worker(id), std::move(message), 8);
    }
    for (std::uint32_t id = 0; id < 2; ++id) {
        wire::Record record;
        if (id == 0) record.mutable_run_info()->set_first_step(firstStep);
        wire::ToCoordinator message;
        message.set_generation(1);
        if (id == 0) message.mutable_records()->add_records(record.SerializeAsString());
        if (id == 0) stage.say(worker(id), std::move(message), 8);
    }
}

}  // namespace lockstep::testsupport
