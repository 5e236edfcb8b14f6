// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/scoring_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::coordination {

void ScoringLedger::beginGeneration() {
    while (!taken_.empty())
        release(taken_.begin()->first);
    begun_ = false;
    trainingEnded_ = false;
    closedBy_.reset();
}

std::vector<ScoringLedger::GivenUp> ScoringLedger::begin(std::int64_t newest,
                                                         const std::vector<std::int64_t>& present,
                                                         const std::vector<std::int64_t>& tested) {
    begun_ = true;
    const auto isGone = [newest](std::int64_t step) { return step > newest; };
    std::erase_if(waiting_, isGone);
    std::erase_if(scored_, isGone);
    std::erase_if(failed_, isGone);
    tested_.insert(tested.begin(), tested.end());
    std::erase_if(tested_, isGone);
    test_ = Test::Due;
    firstOffer_.reset();
    offers_ = 0;
    for (const std::int64_t step : present)
        if (!isKnown(step)) waiting_.push_back(step);
    return makeRoom(Nanos{});
}

std::vector<ScoringLedger::GivenUp> ScoringLedger::offer(std::int64_t step, Nanos now) {
    if (isKnown(step)) return {};
    if (!firstOffer_) firstOffer_ = now;
    lastOffer_ = now;
    ++offers_;
    waiting_.push_back(step);
    return makeRoom(now);
}

std::vector<ScoringLedger::GivenUp> ScoringLedger::makeRoom(Nanos now) {
    if (closedBy_) return closeAll(*closedBy_);
    const std::size_t room = rules_.newestOnly ? 1 : std::max<std::size_t>(rules_.mostWaiting, 1);
    std::vector<GivenUp> givenUp;
    for (; waiting_.size() > room; waiting_.pop_front())
        givenUp.push_back({waiting_.front(), reason(now)});
    for (const GivenUp& one : givenUp)
        failed_.insert(one.step);
    return givenUp;
}

/// Why one that waits makes way: both figures, as far as they are known.
std::string ScoringLedger::reason(Nanos now) const {
    if (rules_.newestOnly)
        return fmt::format("evaluator.policy is \"latest\", and the checkpoint of step {} is newer",
                           waiting_.back());
    std::string text;
    if (scorings_ > 0) {
        text = fmt::format("evaluation takes {:.1f} s",
                           scoringSeconds_ / static_cast<double>(scorings_));
    } else if (!taken_.empty()) {
        const auto longest = std::ranges::min_element(
            taken_, {}, [](const auto& entry) { return entry.second.since; });
        text = fmt::format("the first evaluation has taken {:.1f} s so far",
                           std::max(0.0, Seconds(now - longest->second.since).count()));
    } else {
        text = "no evaluator has asked for a checkpoint yet";
    }
    if (offers_ > 1)
        text += fmt::format(
            ", checkpoints come every {:.1f} s",
            Seconds(lastOffer_ - *firstOffer_).count() / static_cast<double>(offers_ - 1));
    return text;
}

std::vector<std::int64_t> ScoringLedger::spared() const {
    std::vector<std::int64_t> steps(waiting_.begin(), waiting_.end());
    for (const auto& [evaluator, taken] : taken_)
        if (taken.work.kind == Work::Kind::Checkpoint) steps.push_back(taken.work.step);
    std::ranges::sort(steps);
    return steps;
}

ScoringLedger::Work ScoringLedger::next(const ProcessKey& evaluator, Nanos now) {
    if (const auto has = taken_.find(evaluator); has != taken_.end()) return has->second.work;
    Work work;
    if (!begun_) return work;
    if (!waiting_.empty()) {
        work = {Work::Kind::Checkpoint, waiting_.front()};
        waiting_.pop_front();
    } else if (trainingEnded_ && test_ == Test::Due) {
        work.kind = Work::Kind::Test;
        test_ = Test::Taken;
    } else {
        // While another one may still be lost with what it has, this one stays.
        if (trainingEnded_ && taken_.empty()) work.kind = Work::Kind::Over;
        return work;
    }
    taken_[evaluator] = {work, now};
    return work;
}

void ScoringLedger::done(const ProcessKey& evaluator, std::int64_t step, bool scored, Nanos now) {
    const auto has = taken_.find(evaluator);
    const bool isIts = has != taken_.end() && has->second.work.kind == Work::Kind::Checkpoint &&
                       has->second.work.step == step;
    if (!isIts) return;
    const double seconds = Seconds(now - has->second.since).count();
    taken_.erase(has);
    if (!scored) {
        failed_.insert(step);
        return;
    }
    scored_.insert(step);
    failed_.erase(step);
    scoringSeconds_ += seconds;
    ++scorings_;
}

void ScoringLedger::tested(const ProcessKey& evaluator) {
    const auto has = taken_.find(evaluator);
    if (has == taken_.end() || has->second.work.kind != Work::Kind::Test) return;
    taken_.erase(has);
    test_ = Test::Done;
}

void ScoringLedger::release(const ProcessKey& evaluator) {
    const auto has = taken_.find(evaluator);
    if (has == taken_.end()) return;
    const Work work = has->second.work;
    taken_.erase(has);
    if (work.kind == Work::Kind::Test) {
        test_ = Test::Due;
        return;
    }
    waiting_.push_front(work.step);
    std::ranges::sort(waiting_);
}

std::vector<ScoringLedger::GivenUp> ScoringLedger::lose(const ProcessKey& evaluator, Nanos now) {
    release(evaluator);
    return rules_.newestOnly ? makeRoom(now) : std::vector<GivenUp>{};
}

std::vector<ScoringLedger::GivenUp> ScoringLedger::closeAll(const std::string& why) {
    closedBy_ = why;
    std::vector<GivenUp> givenUp;
    for (const std::int64_t step : std::exchange(waiting_, {}))
        givenUp.push_back({step, why});
    for (const auto& [evaluator, taken] : std::exchange(taken_, {}))
        if (taken.work.kind == Work::Kind::Checkpoint) givenUp.push_back({taken.work.step, why});
    for (const GivenUp& one : givenUp)
        failed_.insert(one.step);
    return givenUp;
}

bool ScoringLedger::isScoring(Nanos since) const {
    return std::ranges::any_of(taken_,
                               [since](const auto& entry) { return entry.second.since >= since; });
}

bool ScoringLedger::isTaken(std::int64_t step) const {
    return std::ranges::any_of(taken_, [step](const auto& entry) {
        return entry.second.work.kind == Work::Kind::Checkpoint && entry.second.work.step == step;
    });
}

bool ScoringLedger::isKnown(std::int64_t step) const {
    return scored_.contains(step) || failed_.contains(step) || isTaken(step) ||
           std::ranges::find(waiting_, step) != waiting_.end();
}

ScoringTally ScoringLedger::tally() const {
    ScoringTally tally;
    tally.scored = scored_.size();
    tally.notScored.assign(failed_.begin(), failed_.end());
    for (const std::int64_t step : spared())
        tally.notScored.push_back(step);
    std::ranges::sort(tally.notScored);
    return tally;
}

}  // namespace lockstep::coordination
