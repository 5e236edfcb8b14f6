// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/progress_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/coordination/health/phase_words.h"
#include "core/coordination/health/standstill.h"

namespace lockstep::coordination {

namespace {

constexpr double kMaxPhaseSeconds = 1e6;

Nanos ageOf(float reported) {
    const double seconds =
        std::isfinite(reported) ? std::clamp<double>(reported, 0.0, kMaxPhaseSeconds) : 0;
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

bool isWaiting(wire::Phase phase) {
    return phase == wire::PHASE_ALL_REDUCE || phase == wire::PHASE_WAITING ||
           phase == wire::PHASE_DONE;
}

/// A user's own program that has reported no step may never do so: its silence says nothing.
bool saysNothing(const wire::Phase phase, std::uint64_t step) {
    return phase == wire::PHASE_PROGRAM && step == 0;
}

/// The collective of a step, or the one by which a run's state is handed out before the first;
/// empty: it is in neither.
std::string collectiveOf(const wire::ReplicaProgress& progress) {
    const bool begins =
        progress.phase() == wire::PHASE_WAITING && progress.collective() != wire::COLLECTIVE_NONE;
    return begins || progress.phase() == wire::PHASE_ALL_REDUCE ? collectiveName(progress)
                                                                : std::string();
}

}  // namespace

bool ProgressWatch::Position::isTogether() const {
    return !collective.empty() || phase == wire::PHASE_CHECKPOINT || phase == wire::PHASE_EVALUATE;
}

struct ProgressWatch::Stuck {
    std::uint32_t process = 0;
    std::string host;
    Position position;
    Nanos age{};  // for so long it has stood
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
    const Nanos age = ageOf(progress.phase_seconds());
    const Nanos ofShare = ageOf(progress.share().seconds());
    Position& position = found->second.replicas[progress.replica()];
    const bool isSame = position.phase == progress.phase() && position.step == progress.step();
    const bool moves = isSame && position.points != progress.collective_points();
    const Nanos moved = moves ? now : isSame ? position.moved : Nanos{};
    if (!isSame) limits_.left(position.phase, position.age);
    position = Position{
        progress.step(),
        progress.phase(),
        progress.collective_points(),
        progress.has_awaited_replica() ? std::optional(progress.awaited_replica()) : std::nullopt,
        now - age,
        age,
        moved,
        collectiveOf(progress),
        Share{progress.share().number(), progress.share().done(), ofShare, now - ofShare}};
}

void ProgressWatch::addSteps(std::uint32_t process, const wire::StepBatch& steps) {
    std::uint64_t& newest = measuredSteps_[process];
    newest = std::max<std::uint64_t>(
        newest, steps.first_step() + static_cast<std::uint64_t>(steps.step_us_size()) - 1);
    limits_.addSteps(steps);
}

void ProgressWatch::note(const wire::Record& record) {
    if (record.has_checkpoint()) limits_.completed(wire::PHASE_CHECKPOINT);
    if (record.has_epoch() && record.epoch().has_validation())
        limits_.completed(wire::PHASE_EVALUATE);
    if (record.has_run_state() && record.run_state().state() == wire::RUN_STATE_TESTING)
        limits_.beginTest();
}

/// A user's own program, which reaches no points, may do something else each time.
Nanos ProgressWatch::limitOf(const Position& position) const {
    return limits_.of(position.phase, position.points > 0);
}

/// The newest share, with what the slowest of those took who are done with it; none: they are too
/// few. All have as much to do, and each tells its own time by its own clock, without the waiting.
/// Most are asked, since a few may be quick, those of the faster host say, and not the rest late.
std::optional<ProgressWatch::Share> ProgressWatch::shownShare() const {
    Share newest;
    std::size_t all = 0;
    std::size_t done = 0;
    for (const auto& [id, process] : processes_) {
        for (const auto& [replica, position] : process.replicas) {
            ++all;
            const Share& share = position.share;
            if (share.number > newest.number) {
                newest = {.number = share.number};
                done = 0;
            }
            if (share.number != newest.number || !share.isDone) continue;
            ++done;
            newest.seconds = std::max(newest.seconds, share.seconds);
        }
    }
    return newest.number > 0 && 2 * done >= all ? std::optional(newest) : std::nullopt;
}

std::uint64_t ProgressWatch::fewestPoints() const {
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [id, process] : processes_)
        for (const auto& [replica, position] : process.replicas)
            fewest = std::min(fewest, position.points);
    return fewest;
}

/// Its own work is done: it is in a collective, in which another is awaited, or has come less far.
bool ProgressWatch::waits(std::uint32_t replica, const Position& position,
                          std::uint64_t fewestPoints) {
    if (isWaiting(position.phase)) return true;
    const bool awaitsAnother = position.awaited && *position.awaited != replica;
    // Who scores reaches a point with each batch, be it before or behind others.
    const bool isFurther = position.points > fewestPoints && !position.share.isOpen();
    return position.isTogether() && (awaitsAnother || isFurther);
}

std::vector<ProgressWatch::Stuck> ProgressWatch::stuckIn(Nanos now) const {
    std::vector<Stuck> stuck;
    const std::uint64_t fewest = fewestPoints();
    const std::optional<Share> shown = shownShare();
    for (const auto& [id, process] : processes_) {
        if (process.silent) continue;
        std::optional<Stuck> worst;
        for (const auto& [replica, position] : process.replicas) {
            const Nanos age = position.stood(now);
            if (waits(replica, position, fewest) || saysNothing(position.phase, position.step))
                continue;
            Nanos limit = limitOf(position);
            if (shown && position.share.isOpen() && position.share.number == shown->number)
                limit = std::min(limit, limits_.likeOthers(shown->seconds));
            if (age < limit) continue;
            if (!worst || age > worst->age) worst = Stuck{id, process.host, position, age};
        }
        if (worst) stuck.push_back(*worst);
    }
    return stuck;
}

std::string ProgressWatch::othersWaitIn(const std::vector<Stuck>& stuck) const {
    std::string where;
    const std::uint64_t fewest = fewestPoints();
    for (const auto& [id, process] : processes_) {
        if (std::ranges::find(stuck, id, &Stuck::process) != stuck.end()) continue;
        const auto waiting = std::ranges::find_if(process.replicas, [&](const auto& replica) {
            return replica.second.isTogether() && waits(replica.first, replica.second, fewest);
        });
        if (waiting == process.replicas.end()) return {};
        const Position& position = waiting->second;
        if (where.empty())
            where = position.collective.empty() ? phaseName(position.phase) : position.collective;
    }
    return where;
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
            ? fmt::format("{} {} reported nothing for {:.0f} s {}", joinWords(names), has, seconds,
                          stepWords(worst->position.phase, worst->position.step))
            : fmt::format("{} {} been in {} for {:.0f} s {}", joinWords(names), has,
                          phaseName(worst->position.phase), seconds,
                          stepWords(worst->position.phase, worst->position.step));
    if (const std::string where = othersWaitIn(stuck); !where.empty())
        finding.sentence +=
            fmt::format("; the others wait for {} {}", several ? "them" : "it",
                        where == phaseName(worst->position.phase) ? "there" : "in " + where);
    finding.cause = several ? "is stuck: " + finding.sentence
                            : finding.sentence.substr(names.front().size() + 1);
    return finding;
}

std::optional<Finding> ProgressWatch::judgeCollective(Nanos now, const LinkFacts& links,
                                                      const AnswerFacts& threads) const {
    std::vector<CollectiveWaiter> all;
    for (const auto& [id, process] : processes_) {
        for (const auto& [replica, position] : process.replicas) {
            if (process.silent || !position.isTogether()) return std::nullopt;
            const Nanos age = position.stood(now);
            if (age < limitOf(position)) return std::nullopt;
            all.push_back({id, replica, process.host, position.step, position.points,
                           position.awaited, age, position.phase, position.collective});
        }
    }
    if (all.empty()) return std::nullopt;
    return judgeStandstill(all, links, threads);
}

std::optional<Finding> ProgressWatch::judge(Nanos now, const LinkFacts& links,
                                            const AnswerFacts& threads) const {
    const std::vector<Stuck> stuck = stuckIn(now);
    if (!stuck.empty()) return nameStuck(stuck);
    return judgeCollective(now, links, threads);
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
