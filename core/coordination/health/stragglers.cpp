// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/stragglers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/base/text.h"
#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

namespace {

/// Of what it takes longer, this much in one phase makes that the phase to be named.
constexpr double kMostOfIt = 0.6;
constexpr double kMaxMicroseconds = 1e12;
constexpr std::array<const char*, kOwnPhases> kPhases{"data", "forward", "backward", "update"};

bool isTime(float microseconds) {
    return std::isfinite(microseconds) && microseconds >= 0 && microseconds < kMaxMicroseconds;
}

std::optional<Pace> paceOf(const wire::StepBatch& steps, int index) {
    const std::array<float, kOwnPhases> work{steps.data_us(index), steps.forward_us(index),
                                             steps.backward_us(index), steps.update_us(index)};
    if (!isTime(steps.step_us(index)) || !std::ranges::all_of(work, isTime)) return std::nullopt;
    Pace pace;
    std::ranges::copy(work, pace.work.begin());
    pace.step = double{steps.step_us(index)};
    return pace;
}

/// "41 ms", "2.9 ms", "310 us", "1.2 s".
std::string timeText(double microseconds) {
    if (microseconds < 999.5) return fmt::format("{:.0f} us", microseconds);
    if (microseconds < 9950) return fmt::format("{:.1f} ms", microseconds / 1e3);
    if (microseconds < 999.5e3) return fmt::format("{:.0f} ms", microseconds / 1e3);
    return fmt::format("{:.1f} s", microseconds / 1e6);
}

std::string durationText(double seconds) {
    return seconds < 120 ? fmt::format("{:.0f} s", seconds)
                         : fmt::format("{:.0f} min", seconds / 60);
}

std::string phaseText(const std::string& phase) {
    if (phase == "data") return "its loading of data takes";
    if (phase == "forward") return "its forward pass takes";
    if (phase == "backward") return "its backward pass takes";
    if (phase == "update") return "its update of the weights takes";
    return "its own work in a step takes";
}

/// "its backward pass takes 41 ms, the others' 29 ms"
std::string whatTakesLonger(const Straggler& one) {
    return fmt::format("{} {}, the others' {}", phaseText(one.phase), timeText(one.ownMicros),
                       timeText(one.othersMicros));
}

std::string percent(double part) {
    return fmt::format("{:.0f} %", 100 * part);
}

double usualWork(const std::vector<Pace>& paces) {
    std::vector<double> own;
    std::ranges::transform(paces, std::back_inserter(own), &Pace::own);
    return lowerMedian(std::move(own));
}

/// One more, in the place of the one that cost least where there are too many.
void keep(StragglerTally& tally, Straggler one) {
    tally.told.push_back(std::move(one));
    if (tally.told.size() <= Stragglers::kMostTold) return;
    tally.told.erase(std::ranges::min_element(
        tally.told, {}, [](const Straggler& each) { return each.cost * each.seconds; }));
    ++tally.leftOut;
}

}  // namespace

void Stragglers::setJob(double unevenness, const std::string& whyNobody) {
    if (unevenness > 0) rules_.unevenness = unevenness;
    if (whyNobody.empty()) return;
    rules_.unevenness = std::numeric_limits<double>::infinity();
    sayOnce(whyNobody);
}

void Stragglers::sayOnce(const std::string& whyNobody) {
    if (said_.insert(whyNobody).second) notes_.push_back("nobody can be called slow: " + whyNobody);
}

void Stragglers::beginGeneration() {
    settle();
    hosts_.clear();
    sums_.clear();
    slices_.clear();
}

/// Whoever is slow is so no longer, for all that is known.
void Stragglers::settle() {
    for (auto& [replica, one] : standing_)
        keep(past_, std::move(one.said));
    standing_.clear();
}

void Stragglers::addProcess(std::uint32_t process, const std::string& host) {
    hosts_[process] = host;
}

void Stragglers::removeProcess(std::uint32_t process) {
    if (hosts_.erase(process) == 0) return;
    settle();
    std::erase_if(sums_, [&](const auto& entry) { return entry.second.process == process; });
    slices_.clear();
}

void Stragglers::addSteps(std::uint32_t process, const wire::StepBatch& steps) {
    if (!hosts_.contains(process)) return;
    Sum& sum = sums_[steps.replica()];
    sum.process = process;
    for (int i = 0; i < steps.step_us_size(); ++i) {
        const auto pace = paceOf(steps, i);
        if (++sum.seen <= rules_.firstSteps || !pace) continue;
        std::ranges::transform(sum.all.work, pace->work, sum.all.work.begin(), std::plus());
        sum.all.step += pace->step;
        sum.lastStep = steps.first_step() + static_cast<std::uint64_t>(i);
        if (sum.steps++ == 0) sum.firstStep = sum.lastStep;
    }
    if (!isComplete()) return sayWhoIsMissing();
    Slice slice = gather();
    if (saysEnough(slice)) close(std::move(slice));
}

/// Where somebody's steps are not known nobody is compared with anybody.
void Stragglers::sayWhoIsMissing() {
    constexpr double kPatience = 60e6;
    const bool isLate = std::ranges::any_of(
        sums_, [](const auto& entry) { return entry.second.all.step >= kPatience; });
    if (!isLate) return;
    std::set<std::uint32_t> heard;
    for (const auto& [replica, sum] : sums_) {
        heard.insert(sum.process);
        if (sum.steps == 0 && sum.seen > rules_.firstSteps)
            sayOnce(fmt::format(
                "what replica {} of {} reports of its steps are no times", replica,
                coordination::nameOf({wire::ROLE_WORKER, sum.process}, hosts_.at(sum.process))));
    }
    for (const auto& [process, host] : hosts_)
        if (!heard.contains(process))
            sayOnce(coordination::nameOf({wire::ROLE_WORKER, process}, host) +
                    " reports none of its steps");
}

bool Stragglers::isComplete() const {
    std::set<std::uint32_t> heard;
    for (const auto& [replica, sum] : sums_) {
        if (sum.steps == 0 || sum.all.step < 1e6 * rules_.sliceSeconds) return false;
        heard.insert(sum.process);
    }
    return heard.size() == hosts_.size();
}

Stragglers::Slice Stragglers::gather() const {
    Slice slice{.firstStep = std::numeric_limits<std::uint64_t>::max()};
    auto fewest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [replica, sum] : sums_) {
        Pace pace = sum.all;
        slice.seconds = std::max(slice.seconds, pace.step * 1e-6);
        slice.firstStep = std::min(slice.firstStep, sum.firstStep);
        slice.lastStep = std::max(slice.lastStep, sum.lastStep);
        fewest = std::min(fewest, sum.steps);
        const auto steps = static_cast<double>(sum.steps);
        for (double& phase : pace.work)
            phase /= steps;
        pace.step /= steps;
        pace.replica = replica;
        slice.paces.push_back(pace);
    }
    slice.leastCost =
        std::max(rules_.cost, rules_.plainness / std::sqrt(static_cast<double>(fewest)));
    slice.costs = costsOf(slice.paces, rules_);
    return slice;
}

bool Stragglers::saysEnough(const Slice& slice) const {
    return slice.leastCost <= rules_.cost ||
           *std::ranges::max_element(slice.costs) >= slice.leastCost;
}

void Stragglers::close(Slice slice) {
    for (auto& [replica, sum] : sums_) {
        sum.all = {};
        sum.steps = 0;
    }
    if (slice.paces.size() > 1 && usualWork(slice.paces) <= 0)
        sayOnce("most of its replicas do not report how long they work in a step");
    slices_.push_back(std::move(slice));
    if (slices_.size() > rules_.slices) slices_.pop_front();
    for (const auto& [replica, sum] : sums_)
        judgeReplica(replica);
}

std::vector<std::size_t> Stragglers::slicesWhere(std::uint32_t replica,
                                                 const Condition& isSuch) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < slices_.size(); ++i)
        for (std::size_t k = 0; k < slices_[i].paces.size(); ++k)
            if (slices_[i].paces[k].replica == replica && isSuch(slices_[i], slices_[i].costs[k]))
                found.push_back(i);
    return found;
}

void Stragglers::judgeReplica(std::uint32_t replica) {
    const auto slow = slicesWhere(
        replica, [](const Slice& slice, double cost) { return cost >= slice.leastCost; });
    const auto found = standing_.find(replica);
    if (found == standing_.end()) {
        if (slow.size() >= rules_.alike) begin(replica, slow);
        return;
    }
    Standing& standing = found->second;
    standing.secondsSince += slices_.back().seconds;
    if (!slow.empty() && slow.back() + 1 == slices_.size()) {
        measure(standing.said, slow);
        standing.said.lastStep = slices_.back().lastStep;
        standing.said.seconds += std::exchange(standing.secondsSince, 0);
    }
    const auto keptUp = slicesWhere(
        replica, [this](const Slice&, double cost) { return cost < rules_.costNoMore; });
    if (keptUp.size() >= rules_.alike) end(replica);
}

/// What it takes the replica, and what the others, in those slices.
void Stragglers::measure(Straggler& straggler, const std::vector<std::size_t>& slices) const {
    double cost = 0;
    std::array<double, kOwnPhases> own{};
    std::array<double, kOwnPhases> others{};
    for (const std::size_t index : slices) {
        const Slice& slice = slices_[index];
        for (std::size_t phase = 0; phase < kOwnPhases; ++phase) {
            std::vector<double> all;
            for (const Pace& pace : slice.paces)
                all.push_back(pace.work[phase]);
            others[phase] += lowerMedian(all) / static_cast<double>(slices.size());
        }
        const auto mine = std::ranges::find(slice.paces, straggler.replica, &Pace::replica);
        for (std::size_t phase = 0; phase < kOwnPhases; ++phase)
            own[phase] += mine->work[phase] / static_cast<double>(slices.size());
        cost += slice.costs[static_cast<std::size_t>(mine - slice.paces.begin())] /
                static_cast<double>(slices.size());
    }
    std::size_t longest = 0;
    Pace mine{.work = own};
    Pace usual{.work = others};
    for (std::size_t phase = 1; phase < kOwnPhases; ++phase)
        if (own[phase] - others[phase] > own[longest] - others[longest]) longest = phase;
    const bool isOnePhase =
        own[longest] - others[longest] >= kMostOfIt * (mine.own() - usual.own());
    straggler.cost = cost;
    straggler.isTogether = straggler.isTogether || standing_.size() > 1;
    straggler.phase = isOnePhase ? kPhases[longest] : "";
    straggler.ownMicros = isOnePhase ? own[longest] : mine.own();
    straggler.othersMicros = isOnePhase ? others[longest] : usual.own();
}

void Stragglers::begin(std::uint32_t replica, const std::vector<std::size_t>& slices) {
    Straggler& said = standing_[replica].said;
    said.process = sums_[replica].process;
    said.host = hosts_[said.process];
    said.replica = replica;
    said.firstStep = slices_[slices.front()].firstStep;
    said.lastStep = slices_.back().lastStep;
    for (std::size_t i = slices.front(); i < slices_.size(); ++i)
        said.seconds += slices_[i].seconds;
    measure(said, slices);
    ++times_[replica];
    news_.push_back(sentenceOf({said}));
}

void Stragglers::end(std::uint32_t replica) {
    Straggler said = std::move(standing_.extract(replica).mapped().said);
    said.caughtUp = true;
    const int times = times_[replica];
    news_.push_back(fmt::format(
        "{} keeps up again at step {}: it cost the others {} of {} of training{}, {}", nameOf(said),
        slices_.back().lastStep, percent(said.cost), durationText(said.seconds),
        said.isTogether ? " together with others that were slow" : "",
        times == 1 ? "once" : fmt::format("{} times so far", times)));
    keep(past_, std::move(said));
}

/// "process 5 (hostB)", "replica 3 of process 1 (hostB)" where it has several.
std::string Stragglers::nameOf(const Straggler& straggler) const {
    const std::string process =
        coordination::nameOf({wire::ROLE_WORKER, straggler.process}, straggler.host);
    const auto replicas = std::ranges::count_if(
        sums_, [&](const auto& entry) { return entry.second.process == straggler.process; });
    return replicas > 1 ? fmt::format("replica {} of {}", straggler.replica, process) : process;
}

std::string Stragglers::sentenceOf(const std::vector<Straggler>& slow) const {
    std::vector<std::string> names;
    std::ranges::transform(slow, std::back_inserter(names),
                           [this](const Straggler& one) { return nameOf(one); });
    const Straggler& worst = *std::ranges::max_element(slow, {}, &Straggler::cost);
    const int times = times_.at(worst.replica);
    return fmt::format("{} {} the others {}{}: {}{} (for {}, since step {}{})", joinWords(names),
                       slow.size() > 1 ? "cost" : "costs", percent(worst.cost),
                       slow.size() > 1 ? " together" : "",
                       slow.size() > 1 ? nameOf(worst) + ", the slowest: " : "",
                       whatTakesLonger(worst), durationText(worst.seconds), worst.firstStep,
                       times > 1 ? fmt::format("; {} times so far", times) : "");
}

std::optional<Finding> Stragglers::judge() const {
    if (standing_.empty()) return std::nullopt;
    Finding finding;
    finding.severity = kSeveritySlow;
    finding.subject = "slow";
    std::vector<Straggler> slow;
    std::set<std::uint32_t> processes;
    for (const auto& [replica, one] : standing_) {
        slow.push_back(one.said);
        finding.subject += fmt::format(" {}", replica);
        finding.replicas.push_back(replica);
        processes.insert(one.said.process);
    }
    finding.processes.assign(processes.begin(), processes.end());
    finding.sentence = sentenceOf(slow);
    return finding;
}

StragglerTally Stragglers::tally() const {
    StragglerTally all = past_;
    for (const auto& [replica, one] : standing_)
        keep(all, one.said);
    return all;
}

}  // namespace lockstep::coordination
