// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/progress_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/coordination/health/standstill.h"

namespace lockstep::coordination {

namespace {

constexpr std::size_t kRememberedSteps = 256;
constexpr double kMaxPhaseSeconds = 1e6;

bool isWaiting(wire::Phase phase) {
    return phase == wire::PHASE_ALL_REDUCE || phase == wire::PHASE_WAITING ||
           phase == wire::PHASE_DONE;
}

/// A user's own program that has reported no step may never do so: its silence says nothing.
bool saysNothing(const wire::Phase phase, std::uint64_t step) {
    return phase == wire::PHASE_PROGRAM && step == 0;
}

std::string_view phaseName(wire::Phase phase) {
    switch (phase) {
        case wire::PHASE_STARTING:
            return "starting";
        case wire::PHASE_DATA:
            return "loading data";
        case wire::PHASE_FORWARD:
            return "forward";
        case wire::PHASE_BACKWARD:
            return "backward";
        case wire::PHASE_ALL_REDUCE:
            return "all-reduce";
        case wire::PHASE_UPDATE:
            return "update";
        case wire::PHASE_CHECKPOINT:
            return "checkpoint";
        case wire::PHASE_EVALUATE:
            return "evaluation";
        case wire::PHASE_WAITING:
            return "waiting";
        case wire::PHASE_DONE:
            return "done";
        case wire::PHASE_PROGRAM:
            return "its own program";
        default:
            return "an unknown phase";
    }
}

}  // namespace

struct ProgressWatch::Stuck {
    std::uint32_t process = 0;
    std::string host;
    Position position;
    Nanos age{};
};

void ProgressWatch::addProcess(std::uint32_t process, const std::string& host) {
    processes_[process] = Process{host, false, {}};
}

void ProgressWatch::removeProcess(std::uint32_t process) {
    processes_.erase(process);
}

void ProgressWatch::setSilent(std::uint32_t process, bool silent) {
    if (const auto found = processes_.find(process); found != processes_.end())
        found->second.silent = silent;
}

void ProgressWatch::report(std::uint32_t process, const wire::ReplicaProgress& progress,
                           Nanos now) {
    const auto found = processes_.find(process);
    if (found == processes_.end()) return;
    const double reported = progress.phase_seconds();
    const double seconds =
        std::isfinite(reported) ? std::clamp(reported, 0.0, kMaxPhaseSeconds) : 0;
    const auto age = std::chrono::duration_cast<Nanos>(Seconds(seconds));
    found->second.replicas[progress.replica()] = Position{
        progress.step(), progress.phase(), progress.collective_points(),
        progress.has_awaited_replica() ? std::optional(progress.awaited_replica()) : std::nullopt,
        now - age};
}

void ProgressWatch::addSteps(std::uint32_t process, const wire::StepBatch& steps) {
    std::uint64_t& newest = measuredSteps_[process];
    newest = std::max<std::uint64_t>(
        newest, steps.first_step() + static_cast<std::uint64_t>(steps.step_us_size()) - 1);
    for (const float microseconds : steps.step_us()) {
        if (!std::isfinite(microseconds) || microseconds < 0) continue;
        if (stepMicroseconds_.size() < kRememberedSteps)
            stepMicroseconds_.push_back(microseconds);
        else
            stepMicroseconds_[nextStepTime_] = microseconds;
        nextStepTime_ = (nextStepTime_ + 1) % kRememberedSteps;
    }
}

Nanos ProgressWatch::medianStep() const {
    std::vector<float> sorted = stepMicroseconds_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double seconds = std::min(*middle * 1e-6, kMaxPhaseSeconds);
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

Nanos ProgressWatch::limitOf(wire::Phase phase) const {
    switch (phase) {
        case wire::PHASE_STARTING:
            return limits_.starting;
        case wire::PHASE_CHECKPOINT:
            return limits_.checkpoint;
        case wire::PHASE_EVALUATE:
            return limits_.evaluate;
        default:
            break;
    }
    if (stepMicroseconds_.empty()) return limits_.beforeFirstStep;
    const auto scaled =
        std::chrono::duration_cast<Nanos>(limits_.stepFactor * Seconds(medianStep()));
    // What a program does between its steps without a word (scoring, saving) takes its time.
    const Nanos least =
        phase == wire::PHASE_PROGRAM ? limits_.beforeFirstStep : limits_.stepMinimum;
    return std::max(least, scaled);
}

std::vector<ProgressWatch::Stuck> ProgressWatch::stuckIn(Nanos now) const {
    std::vector<Stuck> stuck;
    for (const auto& [id, process] : processes_) {
        if (process.silent) continue;
        std::optional<Stuck> worst;
        for (const auto& [replica, position] : process.replicas) {
            const Nanos age = now - position.since;
            if (isWaiting(position.phase) || saysNothing(position.phase, position.step)) continue;
            if (age < limitOf(position.phase)) continue;
            if (!worst || age > worst->age) worst = Stuck{id, process.host, position, age};
        }
        if (worst) stuck.push_back(*worst);
    }
    return stuck;
}

bool ProgressWatch::othersWait(const std::vector<Stuck>& stuck) const {
    if (stuck.size() >= processes_.size()) return false;
    return std::ranges::all_of(processes_, [&](const auto& entry) {
        if (std::ranges::any_of(stuck,
                                [&](const Stuck& one) { return one.process == entry.first; }))
            return true;
        return !entry.second.replicas.empty() &&
               std::ranges::any_of(entry.second.replicas, [](const auto& replica) {
                   return replica.second.phase == wire::PHASE_ALL_REDUCE;
               });
    });
}

Finding ProgressWatch::nameStuck(const std::vector<Stuck>& stuck) const {
    const auto worst = std::ranges::max_element(stuck, {}, &Stuck::age);
    Finding finding;
    finding.severity = kSeverityStuck;
    finding.age = worst->age;
    finding.subject = "stuck";
    std::vector<std::string> names;
    for (const Stuck& one : stuck) {
        finding.processes.push_back(one.process);
        names.push_back(nameOf({wire::ROLE_WORKER, one.process}, one.host));
        finding.subject += fmt::format(" {}:{}:{}", one.process,
                                       static_cast<int>(one.position.phase), one.position.step);
    }
    const bool several = stuck.size() > 1;
    const double seconds = std::floor(Seconds(worst->age).count());
    const char* has = several ? "have" : "has";
    finding.sentence =
        worst->position.phase == wire::PHASE_PROGRAM
            ? fmt::format("{} {} reported nothing for {:.0f} s at step {}", joinWords(names), has,
                          seconds, worst->position.step + 1)
            : fmt::format("{} {} been in {} for {:.0f} s at step {}", joinWords(names), has,
                          phaseName(worst->position.phase), seconds, worst->position.step + 1);
    if (othersWait(stuck))
        finding.sentence +=
            fmt::format("; the others wait for {} in all-reduce", several ? "them" : "it");
    finding.cause = several ? "is stuck: " + finding.sentence
                            : finding.sentence.substr(names.front().size() + 1);
    return finding;
}

std::optional<Finding> ProgressWatch::judgeCollective(Nanos now) const {
    std::vector<CollectiveWaiter> all;
    for (const auto& [id, process] : processes_) {
        for (const auto& [replica, position] : process.replicas) {
            if (process.silent || position.phase != wire::PHASE_ALL_REDUCE) return std::nullopt;
            all.push_back({id, replica, process.host, position.step, position.points,
                           position.awaited, now - position.since});
        }
    }
    if (all.empty()) return std::nullopt;
    const Nanos age = std::ranges::min(all, {}, &CollectiveWaiter::age).age;
    if (age < limitOf(wire::PHASE_ALL_REDUCE)) return std::nullopt;
    return judgeStandstill(all);
}

std::optional<Finding> ProgressWatch::judge(Nanos now) const {
    const std::vector<Stuck> stuck = stuckIn(now);
    if (!stuck.empty()) return nameStuck(stuck);
    return judgeCollective(now);
}

std::uint64_t ProgressWatch::stepOf(std::uint32_t process) const {
    const auto found = processes_.find(process);
    const auto measured = measuredSteps_.find(process);
    std::uint64_t step = measured != measuredSteps_.end() ? measured->second : 0;
    if (found != processes_.end())
        for (const auto& [replica, position] : found->second.replicas)
            step = std::max(step, position.step);
    return step;
}

}  // namespace lockstep::coordination
