// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/telemetry_watch.h"

#include <algorithm>

namespace lockstep::coordination {

void TelemetryWatch::note(const ProcessKey& key, const wire::Record& record, Nanos now) {
    if (key.role == wire::ROLE_AGENT) return;  // it speaks of others
    if (record.has_heartbeat()) return noteHeartbeat(processes_[key], record.heartbeat());
    if (!record.has_figures() && !record.has_steps() && !record.has_drops()) return;
    Process& process = processes_[key];
    process.movedAt = now;
    process.sendsFigures |= record.has_figures();
    if (record.has_steps()) {
        std::uint64_t& told = process.replicas[record.steps().replica()].told;
        const auto count = static_cast<std::uint64_t>(std::max(record.steps().loss_size(), 1));
        told = std::max(told, record.steps().first_step() + count - 1);
    } else if (record.has_drops()) {
        process.replicas[record.drops().replica()].isOpen = true;  // what is missing never comes
    }
}

void TelemetryWatch::noteHeartbeat(Process& process, const wire::Heartbeat& heartbeat) {
    process.isDone = heartbeat.replicas_size() > 0;
    for (const wire::ReplicaProgress& progress : heartbeat.replicas()) {
        process.isDone = process.isDone && progress.phase() == wire::PHASE_DONE;
        process.isProgram |= progress.phase() == wire::PHASE_PROGRAM;
        if (heartbeat.role() != wire::ROLE_WORKER) continue;
        Replica& replica = process.replicas[progress.replica()];
        replica.trained = progress.step();
        if (!replica.isOpen) continue;
        replica.told = std::max(replica.told, replica.trained);
        replica.isOpen = replica.told == 0;
    }
}

bool TelemetryWatch::isBehind(const Process& process) {
    return !process.isProgram && std::ranges::any_of(process.replicas, [](const auto& replica) {
        return replica.second.trained > replica.second.told;
    });
}

void TelemetryWatch::setSilent(const ProcessKey& process, bool isSilent) {
    if (const auto found = processes_.find(process); found != processes_.end())
        found->second.isSilent = isSilent;
}

std::vector<TelemetryNews> TelemetryWatch::look(Nanos now) {
    std::vector<TelemetryNews> news;
    for (auto& [key, process] : processes_) {
        if (process.isSilent) continue;
        const bool behind = isBehind(process);
        const bool owes = behind || (process.sendsFigures && !process.isDone);
        if (!owes && !process.isNamed) process.movedAt = now;
        const Nanos stood = process.watch.stood();
        const LoopWatch::Step step = process.watch.look(process.movedAt, now);
        if (process.isNamed && process.watch.stood() < stood) {
            process.isNamed = false;
            news.push_back({key, stood, true, false});
        } else if (step == LoopWatch::Step::Warn) {
            process.isNamed = true;
            news.push_back({key, process.watch.stood(), false, behind && !process.isDone});
        }
    }
    return news;
}

std::optional<Nanos> TelemetryWatch::stoodAtEnd(const ProcessKey& process) const {
    const auto found = processes_.find(process);
    if (found == processes_.end() || found->second.isSilent) return std::nullopt;
    const Process& one = found->second;
    return one.isNamed && one.isDone ? std::optional(one.watch.stood()) : std::nullopt;
}

}  // namespace lockstep::coordination
