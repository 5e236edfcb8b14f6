// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/replica_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/coordination/state/hold_words.h"
#include "core/job/fold/wire_views.h"

namespace lockstep::job {

namespace {

constexpr int kEvaluatorReplica = -1;
/// A phase that lasts longer is worth naming; shorter ones would only flicker.
constexpr double kNamedPhaseSeconds = 1;

/// What a replica does, in words.
std::string activity(Role role, Phase phase, double seconds) {
    const bool isLong = seconds >= kNamedPhaseSeconds;
    switch (phase) {
        case Phase::Data:
            return isLong ? fmt::format("waiting for data for {:.1f} s", seconds) : "training";
        case Phase::Forward:
            return isLong ? fmt::format("in forward for {:.1f} s", seconds) : "training";
        case Phase::Backward:
            return isLong ? fmt::format("in backward for {:.1f} s", seconds) : "training";
        case Phase::AllReduce:
            return isLong
                       ? fmt::format("waiting for the others in all-reduce for {:.1f} s", seconds)
                       : "training";
        case Phase::Update:
            return isLong ? fmt::format("in update for {:.1f} s", seconds) : "training";
        case Phase::Starting:
            return "starting";
        case Phase::Checkpoint:
            return "writing a checkpoint";
        case Phase::Evaluate:
            return "evaluating";
        case Phase::Waiting:
            return role == Role::Evaluator ? "waiting for a checkpoint" : "waiting for the others";
        case Phase::Done:
            return "done";
        case Phase::Program:
            return "running";
    }
    return "unknown";
}

/// Tenths of a second are what people see; more would make every view a new one.
double roundedAge(double seconds) {
    return std::round(std::max(seconds, 0.0) * 10) / 10;
}

/// The newest step of the batch that says something of the loss; -1: none does.
int lastWithSamples(const wire::StepBatch& batch) {
    int index = batch.loss_size() - 1;
    for (int i = batch.without_samples_size() - 1;
         i >= 0 && batch.without_samples(i) == static_cast<std::uint32_t>(index); --i)
        --index;
    return index;
}

GpuView gpuOf(const wire::GpuFigures& figures) {
    return {figures.name(),       figures.compute_percent(),
            figures.used_bytes(), figures.total_bytes(),
            figures.celsius(),    figures.watts(),
            figures.slowdown(),   figures.uncorrected_ecc_errors()};
}

}  // namespace

ReplicaTable::Row& ReplicaTable::rowOf(Role role, int replica, int processId) {
    // Evaluators, which have no replica of the job, by their own numbers.
    const auto placeOf = [role](int ofReplica, int ofProcess) {
        return role == Role::Worker ? ofReplica : ofProcess;
    };
    const int place = placeOf(replica, processId);
    const auto isBefore = [&](const Row& row) {
        if (row.view.role != role) return row.view.role == Role::Worker;
        return placeOf(row.view.replica, row.view.processId) < place;
    };
    const auto at = std::partition_point(rows_.begin(), rows_.end(), isBefore);
    if (at != rows_.end() && at->view.role == role &&
        placeOf(at->view.replica, at->view.processId) == place)
        return *at;
    Row row;
    row.view.role = role;
    row.view.replica = replica;
    row.view.processId = processId;
    row.view.loss = std::numeric_limits<float>::quiet_NaN();
    row.view.state = "starting";
    if (role == Role::Worker) row.view.step = firstStep_;
    return *rows_.insert(at, std::move(row));
}

void ReplicaTable::forProcess(Role role, int processId, const std::function<void(Row&)>& change) {
    for (Row& row : rows_) {
        if (row.view.role == role && row.view.processId == processId) change(row);
    }
}

void ReplicaTable::apply(const wire::ReplicaInfo& info) {
    const Role role = roleOf(info.role());
    if (role == Role::Agent) return;
    const int replica =
        role == Role::Evaluator ? kEvaluatorReplica : static_cast<int>(info.replica());
    Row& row = rowOf(role, replica, static_cast<int>(info.process_id()));
    row.view.processId = static_cast<int>(info.process_id());
    row.view.host = info.host();
    row.view.address = info.address();
    row.view.pid = info.pid();
    row.view.device = info.device();
    row.view.deviceName = info.hardware().name();
    row.view.deviceUuid = info.hardware().uuid();
    row.view.deviceBytes = info.hardware().memory_bytes();
    row.view.liveness = Liveness::Waiting;
    row.view.state = "starting";
    row.view.phase = Phase::Starting;
    row.registered = true;
    row.lostCause.clear();
    row.heardAt = 0;
}

void ReplicaTable::apply(const wire::Heartbeat& heartbeat, double arrival) {
    const auto heard = [&](Row& row) {
        if (row.lostCause.empty()) row.heardAt = arrival;
    };
    const Role role = roleOf(heartbeat.role());
    const int processId = static_cast<int>(heartbeat.process_id());
    forProcess(role, processId, heard);
    for (const wire::ReplicaProgress& progress : heartbeat.replicas()) {
        forProcess(role, processId, [&](Row& row) {
            const bool isIt =
                role == Role::Evaluator || row.view.replica == static_cast<int>(progress.replica());
            if (!isIt || !row.lostCause.empty()) return;
            row.view.step = std::max(row.view.step, static_cast<std::int64_t>(progress.step()));
            row.view.phase = phaseOf(progress.phase());
            row.phaseSeconds = double{progress.phase_seconds()};
        });
    }
}

void ReplicaTable::apply(const wire::StepBatch& batch) {
    Row& row = rowOf(Role::Worker, static_cast<int>(batch.replica()), -1);
    const int last = batch.loss_size() - 1;
    row.view.step =
        std::max(row.view.step, static_cast<std::int64_t>(batch.first_step()) + std::int64_t{last});
    if (const int scored = lastWithSamples(batch); scored >= 0) {
        row.view.loss = batch.loss(scored);
        row.view.accuracy = batch.accuracy(scored);
    }
    row.view.stepMilliseconds = batch.step_us(last) / 1000;
    row.view.phaseMicroseconds = {batch.data_us(last), batch.forward_us(last),
                                  batch.backward_us(last), batch.all_reduce_us(last),
                                  batch.update_us(last)};
}

void ReplicaTable::apply(const wire::ProcessFigures& figures) {
    int local = 0;  // rows lie in the order of replicas, as the figures of their GPUs do
    forProcess(roleOf(figures.role()), static_cast<int>(figures.process_id()), [&](Row& row) {
        row.view.residentBytes = figures.resident_bytes();
        row.view.cpuPercent = figures.cpu_percent();
        if (local < figures.gpus_size()) row.view.gpu = gpuOf(figures.gpus(local));
        ++local;
    });
}

std::string ReplicaTable::hostOf(Role role, int processId) const {
    const auto row = std::ranges::find_if(rows_, [&](const Row& each) {
        return each.view.role == role && each.view.processId == processId;
    });
    return row == rows_.end() ? std::string() : row->view.host;
}

void ReplicaTable::apply(const wire::Drops& drops) {
    rowOf(Role::Worker, static_cast<int>(drops.replica()), -1).view.droppedSamples += drops.count();
}

void ReplicaTable::apply(const wire::Failure& failure) {
    forProcess(roleOf(failure.role()), static_cast<int>(failure.process_id()), [&](Row& row) {
        row.lostCause = failure.cause();
        row.view.liveness = Liveness::Lost;
        row.view.state = "lost: " + failure.cause();
        row.view.heartbeatAgeSeconds = -1;
    });
}

void ReplicaTable::score(std::int64_t step) {
    const auto isEvaluator = [](const Row& row) { return row.view.role == Role::Evaluator; };
    const auto row = std::ranges::find_if(rows_, isEvaluator);
    if (row != rows_.end() && std::ranges::count_if(rows_, isEvaluator) == 1)
        row->view.step = std::max(row->view.step, step);
}

void ReplicaTable::beginStart() {
    ended_ = false;
    stopping_ = false;
    for (Row& row : rows_) {
        row.registered = false;
        row.lostCause.clear();
        row.heardAt = 0;
        row.phaseSeconds = 0;
        row.view.heartbeatAgeSeconds = -1;
        row.view.liveness = Liveness::Waiting;
        row.view.phase = Phase::Starting;
        row.view.state = "not registered yet";
    }
}

void ReplicaTable::dropUnregistered() {
    const auto isWorker = [](const Row& row) { return row.view.role == Role::Worker; };
    const bool any = std::any_of(rows_.begin(), rows_.end(),
                                 [&](const Row& row) { return isWorker(row) && row.registered; });
    if (any) std::erase_if(rows_, [&](const Row& row) { return isWorker(row) && !row.registered; });
}

void ReplicaTable::beginTraining(std::int64_t firstStep, int replicas, bool evaluator) {
    firstStep_ = firstStep;
    std::erase_if(rows_, [&](const Row& row) {
        if (row.view.role != Role::Worker) return !evaluator && !row.registered;
        return replicas > 0 && row.view.replica >= replicas;
    });
    for (Row& row : rows_)
        row.view.step = row.view.role == Role::Worker ? firstStep : 0;
}

void ReplicaTable::end() {
    ended_ = true;
    for (Row& row : rows_) {
        row.view.heartbeatAgeSeconds = -1;  // nothing is waited for any more
        if (row.view.liveness == Liveness::Lost) continue;
        row.view.liveness = Liveness::Left;
        row.view.state = row.view.phase == Phase::Done ? "done"
                         : row.registered              ? "ended with the run"
                                                       : "did not register";
        row.view.phase = Phase::Done;
    }
}

/// Then silence is its end, not a loss: processes leave one after the other.
bool ReplicaTable::hasNothingToDo(const Row& row) const {
    const bool finished = totalSteps_ > 0 && row.view.step >= totalSteps_;
    return row.view.phase == Phase::Done ||
           (row.view.heartbeatAgeSeconds > kLateSeconds &&
            (stopping_ || (finished && row.view.role == Role::Worker)));
}

void ReplicaTable::judge(Row& row, double now) const {
    ReplicaView& view = row.view;
    if (!row.lostCause.empty() || row.heardAt <= 0) return;
    view.heartbeatAgeSeconds = roundedAge(now - row.heardAt);
    if (hasNothingToDo(row)) {
        view.liveness = Liveness::Left;
        view.state = "done";
    } else if (view.heartbeatAgeSeconds > lostSeconds_) {
        view.liveness = Liveness::Lost;
        view.state = fmt::format("lost: no heartbeat for {:.0f} s", view.heartbeatAgeSeconds);
    } else if (view.heartbeatAgeSeconds > kLateSeconds) {
        view.liveness = Liveness::Late;
        view.state = fmt::format("no heartbeat for {:.1f} s", view.heartbeatAgeSeconds);
    } else {
        view.liveness = Liveness::Alive;
        view.state = activity(view.role, view.phase, row.phaseSeconds);
        if (row.isSlow) view.state += kSlowWords;
    }
}

void ReplicaTable::setAccused(const std::vector<int>& processes, const std::vector<int>& replicas,
                              bool isSlow) {
    const auto names = [](const std::vector<int>& list, int one) {
        return std::ranges::find(list, one) != list.end();
    };
    for (Row& row : rows_) {
        row.view.isAccused = row.view.role == Role::Worker &&
                             names(processes, row.view.processId) &&
                             (replicas.empty() || names(replicas, row.view.replica));
        row.isSlow = isSlow && row.view.isAccused;
    }
}

bool ReplicaTable::tick(double now) {
    if (ended_) return false;
    bool changed = false;
    for (Row& row : rows_) {
        const double age = row.view.heartbeatAgeSeconds;
        const Liveness liveness = row.view.liveness;
        judge(row, now);
        changed = changed || row.view.heartbeatAgeSeconds != age || row.view.liveness != liveness;
    }
    return changed;
}

std::string ReplicaTable::silence(const std::vector<int>& processes,
                                  const std::string& hold) const {
    std::string names;
    double longest = 0;
    for (std::size_t i = 0; i < processes.size(); ++i) {
        const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& each) {
            return each.view.role == Role::Worker && each.view.processId == processes[i];
        });
        if (row == rows_.end() || row->view.liveness != Liveness::Late) return {};
        if (i > 0) names += i + 1 < processes.size() ? ", " : " and ";
        names += fmt::format("process {} ({})", processes[i], row->view.host);
        longest = std::max(longest, row->view.heartbeatAgeSeconds);
    }
    if (names.empty()) return {};
    return coordination::silenceSentence(names, processes.size() == 1, hold,
                                         fmt::format("{:.1f} s", longest));
}

std::int64_t ReplicaTable::completedSteps() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Row& row : rows_) {
        if (row.view.role == Role::Worker) least = std::min(least, row.view.step);
    }
    return least == std::numeric_limits<std::int64_t>::max() ? 0 : least;
}

int ReplicaTable::aliveWorkers() const {
    return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& row) {
        return row.view.role == Role::Worker &&
               (row.view.liveness == Liveness::Alive || row.view.liveness == Liveness::Late);
    }));
}

std::vector<ReplicaView> ReplicaTable::views() const {
    std::vector<ReplicaView> views;
    views.reserve(rows_.size());
    for (const Row& row : rows_)
        views.push_back(row.view);
    return views;
}

}  // namespace lockstep::job
