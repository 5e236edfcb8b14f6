// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/drill_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/config/document/job_file.h"
#include "core/coordination/state/drill_refusals.h"
#include "core/job/fold/replica_table.h"
#include "core/job/fold/wire_views.h"

namespace lockstep::job {

namespace {

namespace refusals = coordination::refusals;

config::JobSpec jobOf(const RunView& view) {
    return config::JobDocument::lenient(view.jobToml, "job.toml").spec();
}

const ReplicaView* workerOf(const RunView& view, int process) {
    const auto found = std::ranges::find_if(view.replicas, [process](const ReplicaView& one) {
        return one.role == Role::Worker && one.processId == process;
    });
    return found == view.replicas.end() ? nullptr : &*found;
}

int restartsLeft(const config::JobSpec& job, const RunView& view) {
    return std::max(job.launch.restarts() - view.generation, 0);
}

/// Of the run, whatever the fault.
std::string refusalOfAny(const DrillOrder& order, const RunView& view, const config::JobSpec& job) {
    if (view.exitStatus >= 0) return "the run is over";
    if (!job.launch.command.empty()) return std::string(refusals::kOwnProgram);
    if (view.state == RunState::Launching || view.state == RunState::Restarting)
        return std::string(refusals::kNotRegistered);
    if (view.state == RunState::Stopping) return std::string(refusals::kEnding);
    const auto open = std::ranges::find_if_not(view.drills, isOver);
    if (open != view.drills.end())
        return refusals::underWay(requestOf(open->order).kind(),
                                  static_cast<std::uint32_t>(open->order.processId));
    const auto process = static_cast<std::uint32_t>(order.processId);
    const auto processes = static_cast<std::uint32_t>(job.cluster.numProcesses);
    if (processes > 0 && process >= processes) return refusals::noProcess(process, processes);
    const bool onlyFirst =
        order.kind == DrillKind::TornCheckpoint || order.kind == DrillKind::DiskFull;
    if (onlyFirst && process != 0) return refusals::onlyFirst(requestOf(order).kind());
    const ReplicaView* worker = workerOf(view, order.processId);
    const bool hasGone = worker != nullptr &&
                         (worker->liveness == Liveness::Lost || worker->liveness == Liveness::Left);
    return hasGone ? refusals::hasGone(process) : std::string();
}

std::string refusalOfTear(const RunView& view, const config::JobSpec& job) {
    if (restartsLeft(job, view) == 0) return std::string(refusals::kNoRestart);
    if (job.launch.keepsSteps()) return std::string(refusals::kGoesOnFromMemory);
    const auto count = std::ranges::count_if(view.checkpoints, [](const CheckpointView& one) {
        return one.error.empty() && !one.deleted;
    });
    if (count >= 2) return {};
    return refusals::tooFewCheckpoints((view.runDir / "checkpoints").string(),
                                       static_cast<int>(count));
}

std::string refusalOfBitFlip(const ReplicaView* worker, const config::JobSpec& job) {
    if (worker != nullptr && worker->device.starts_with("gpu"))
        return std::string(refusals::kWeightsOnGpu);
    return std::string(job.training.identityEverySteps == 0 ? refusals::kNoIdentity : "");
}

/// What the end of a process leads to.
std::string restartsOf(const RunView& view, const config::JobSpec& job, bool isDistrusted) {
    const int left = restartsLeft(job, view);
    if (job.launch.onFailure == config::OnFailure::Stop)
        return "Where this ends a process, the run ends with it: launch.on_failure is \"stop\".";
    if (left == 0)
        return "Where this ends a process, the run ends with it: launch.max_restarts leaves no "
               "restart.";
    // Whose weights or loss are wrong, its memory is not gone on from.
    const bool fromMemory = job.launch.keepsSteps() && !isDistrusted;
    return fmt::format(
        "Where this ends a process, the run begins again at its newest {}: launch.max_restarts "
        "leaves {}.",
        fromMemory ? "step" : "checkpoint", counted(left, "restart"));
}

std::string stuckPolicyOf(const RunView& view, const config::JobSpec& job) {
    const std::string grace = fmt::format("{:g} s", job.launch.stuckGraceSeconds);
    if (job.launch.onStuck == config::OnStuck::Wait)
        return "launch.on_stuck is \"wait\": a run that is stuck waits until it moves again, or "
               "somebody ends it.";
    if (job.launch.onStuck == config::OnStuck::Restart && restartsLeft(job, view) > 0)
        return fmt::format(
            "launch.on_stuck is \"restart\": {} after it was named stuck, it is ended, and the run "
            "begins again; launch.max_restarts leaves {}.",
            grace, counted(restartsLeft(job, view), "restart"));
    return fmt::format(
        "launch.on_stuck and launch.max_restarts leave no restart: {} after it was named stuck, "
        "the run ends.",
        grace);
}

}  // namespace

std::string consequenceOf(DrillKind kind) {
    switch (kind) {
        case DrillKind::Kill:
            return "The process kills itself (SIGKILL); its agent names it, and "
                   "launch.max_restarts begins again.";
        case DrillKind::Stop:
            return "It stops itself (SIGSTOP); cluster.heartbeat_timeout_seconds of silence count "
                   "as a loss.";
        case DrillKind::Stuck:
            return "Its first replica stands still; launch.on_stuck says what becomes of that.";
        case DrillKind::Slow:
            return "Its first replica takes four times as long for its steps; it is named with its "
                   "price, and all wait for it.";
        case DrillKind::Nan:
            return "Its next loss is not a number; the job fails, or leaves the step out "
                   "(training.terminate_on_nan).";
        case DrillKind::BitFlip:
            return "One bit of its weights changes; the next update finds it, and the job fails.";
        case DrillKind::TornCheckpoint:
            return "Process 0 cuts the newest checkpoint short, for good, and kills itself; the "
                   "restart passes it over for the one before.";
        case DrillKind::Cut:
            return "It shuts down its connections to the other processes; who waits for it fails.";
        case DrillKind::DiskFull:
            return "No file that process 0 writes grows for a while; checkpoints fail, and "
                   "training goes on.";
    }
    return {};
}

std::string refusalOf(const DrillOrder& order, const RunView& view) {
    const config::JobSpec job = jobOf(view);
    if (std::string why = refusalOfAny(order, view, job); !why.empty()) return why;
    const ReplicaView* worker = workerOf(view, order.processId);
    switch (order.kind) {
        case DrillKind::Slow:
            return worker != nullptr && worker->state.ends_with(kSlowWords)
                       ? refusals::isSlowAlready(static_cast<std::uint32_t>(order.processId))
                       : std::string();
        case DrillKind::Nan:
            return std::string(job.distribution.model > 1 ? refusals::kLossOfColumns : "");
        case DrillKind::BitFlip:
            return refusalOfBitFlip(worker, job);
        case DrillKind::TornCheckpoint:
            return refusalOfTear(view, job);
        case DrillKind::Cut:
            return std::string(
                view.backend == "shm" || view.backend == "local" ? refusals::kNothingToCut : "");
        case DrillKind::DiskFull:
            return std::string(order.seconds <= 0 ? refusals::kNeedsSeconds : "");
        default:
            return {};
    }
}

std::string policyOf(const DrillOrder& order, const RunView& view) {
    const config::JobSpec job = jobOf(view);
    switch (order.kind) {
        case DrillKind::Stuck:
            return stuckPolicyOf(view, job);
        case DrillKind::Slow:
        case DrillKind::DiskFull:
            return "The run goes on meanwhile, and nothing in the job file ends it for this.";
        case DrillKind::Nan:
            if (!job.training.terminateOnNan)
                return "training.terminate_on_nan is false: the step is left out, and the run "
                       "goes on.";
            return restartsOf(view, job, true);
        case DrillKind::BitFlip:
            return restartsOf(view, job, true);
        default:
            return restartsOf(view, job, false);
    }
}

const DrillView* findDrill(const RunView& view, std::string_view id) {
    const auto found = std::ranges::find(
        view.drills, id, [](const DrillView& one) { return std::string_view(one.order.id); });
    return found == view.drills.end() ? nullptr : &*found;
}

bool isLanded(const DrillView& drill) {
    return drill.landedWallTime > 0;
}

bool isOver(const DrillView& drill) {
    return drill.phase == DrillView::Phase::Refused || drill.phase == DrillView::Phase::Recovered ||
           drill.phase == DrillView::Phase::Over;
}

std::string landedLine(const DrillView& drill) {
    if (!isLanded(drill)) return {};
    return fmt::format(
        "landed after {:.1f} s, at step {}: {}", drill.landedWallTime - drill.orderedWallTime,
        drill.landedStep,
        drill.phase == DrillView::Phase::Landed ? drill.sentence : effectOf(drill.order));
}

std::string detectedLine(const DrillView& drill) {
    if (drill.detectedWallTime <= 0) return {};
    return fmt::format("detected after {:.1f} s: {} ({} process, {})",
                       drill.detectedWallTime - drill.landedWallTime, drill.detectedSentence,
                       drill.namedProcess ? "the right" : "not the right",
                       drill.namedKind ? "named for what it is" : "not for what it is");
}

std::string outcomeLine(const DrillView& drill, bool isRunOver) {
    if (drill.phase == DrillView::Phase::Refused)
        return fmt::format("no drill was done: {}", drill.sentence);
    if (drill.recoveredWallTime > 0)
        return fmt::format("recovered after {:.1f} s: trains on at step {}; {} lost",
                           drill.recoveredWallTime - drill.landedWallTime, drill.recoveredStep,
                           counted(drill.stepsLost, "step"));
    if (!isOver(drill) && !isRunOver) return {};
    return fmt::format("{}: {}", isLanded(drill) ? "not recovered" : "the drill counts for nothing",
                       drill.sentence);
}

}  // namespace lockstep::job
