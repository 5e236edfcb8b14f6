// SPDX-License-Identifier: Apache-2.0
// What a replica measures and decides at the end of an epoch, together with all others.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <tuple>
#include <vector>

#include "core/train/replica/replica_loop.h"

#include "core/base/try.h"

namespace lockstep::train {

namespace {

/// Without those that nobody knows.
void addFigures(const MetricSet& metrics, const SplitScore& score,
                google::protobuf::RepeatedPtrField<wire::NamedFigure>& to) {
    for (const Figure& figure : metrics.figures(score)) {
        if (std::isnan(figure.value)) continue;
        wire::NamedFigure& named = *to.Add();
        named.set_name(figure.name);
        named.set_value(figure.value);
    }
}

}  // namespace

Result<void> ReplicaLoop::endEpoch(std::int64_t step) {
    TRY(settleStatistics());
    TRY(gatherEpochScore());
    wire::EpochResult result;
    result.set_epoch(static_cast<std::uint32_t>(setup_.plan.epochOf(step)));
    result.set_step(static_cast<std::uint64_t>(step));
    result.set_train_loss(outcome_.train.loss());
    result.set_train_accuracy(outcome_.train.accuracy());
    const MetricSet& metrics = setup_.objective.metrics();
    addFigures(metrics, outcome_.train, *result.mutable_train_figures());
    if (setup_.data.validation->count > 0) {
        if (setup_.events != nullptr)
            setup_.events->stateChanged(wire::RUN_STATE_VALIDATING, "validating");
        auto score = TRY(scoreTogether(ScoredSplit::Validation));
        outcome_.validation = score;
        epochEndDue_ = !score.has_value();
        if (epochEndDue_) return {};
        result.set_has_validation(true);
        result.set_validation_loss(score->loss());
        result.set_validation_accuracy(score->accuracy());
        addFigures(metrics, *score, *result.mutable_validation_figures());
    }
    result.set_seconds(std::chrono::duration<double>(SteadyClock::read() - epochMark_).count());
    if (setup_.events != nullptr) {
        setup_.events->epochEnded(result);
        if (step < setup_.plan.totalSteps)
            setup_.events->stateChanged(wire::RUN_STATE_TRAINING, "training");
    }
    if (setup_.listener != nullptr) {
        enter(wire::PHASE_CALLBACK);
        listenerStops_ = !setup_.listener->epochEnded(result) || listenerStops_;
    }
    return decideEpoch(step);
}

/// Nothing when a replica was stopped meanwhile: then none has a score.
Result<std::optional<SplitScore>> ReplicaLoop::scoreTogether(ScoredSplit split) {
    enter(wire::PHASE_EVALUATE);
    collective::Communicator& communicator = setup_.communicator;
    const auto replicas = static_cast<std::uint64_t>(communicator.replicaCount());
    const auto replica = static_cast<std::uint64_t>(communicator.replica());
    const std::uint64_t count =
        (split == ScoredSplit::Validation ? setup_.data.validation : setup_.data.test)->count;
    const auto begin = static_cast<std::uint32_t>(count * replica / replicas);
    const auto end = static_cast<std::uint32_t>(count * (replica + 1) / replicas);
    setup_.progress.beginShare(SteadyClock::read());
    auto mine = TRY(steps_->score(split, begin, end - begin, setup_.stopRequested));

    const bool isWhole = mine.rows == static_cast<double>(end - begin);
    // Where samples are fewer than replicas, who has none says nothing of the others.
    setup_.progress.endShare(SteadyClock::read(), isWhole && begin < end);
    mine.metrics.resize(setup_.objective.metrics().size());
    std::vector<std::uint64_t> words;
    for (const double number : {mine.lossSum, mine.correct, mine.samples, mine.rows})
        words.push_back(std::bit_cast<std::uint64_t>(number));
    for (const double number : mine.metrics)
        words.push_back(std::bit_cast<std::uint64_t>(number));
    words.push_back(isWhole ? 1 : 0);
    std::vector<std::uint64_t> all(words.size() * replicas);
    setup_.progress.collectivePlace().align();  // some have scored more batches than others
    TRY(communicator.allGather(words, all));
    SplitScore sum;
    for (auto one = all.begin(); one != all.end(); one += std::ssize(words)) {
        SplitScore theirs{std::bit_cast<double>(one[0]), std::bit_cast<double>(one[1]),
                          std::bit_cast<double>(one[2]), std::bit_cast<double>(one[3])};
        for (std::size_t i = 0; i < mine.metrics.size(); ++i)
            theirs.metrics.push_back(
                std::bit_cast<double>(one[4 + static_cast<std::ptrdiff_t>(i)]));
        sum.add(theirs);
        if (one[std::ssize(words) - 1] == 0) return std::nullopt;
    }
    return sum;
}

/// What the replicas have added up in the present epoch, in replica order, in outcome_.train: the
/// same everywhere, also where replica 0 alone knows what an earlier start has added.
Result<void> ReplicaLoop::gatherEpochScore() {
    constexpr std::size_t kTotals = 3;
    SplitScore& train = outcome_.train;
    std::vector<std::uint64_t> mine;
    for (const double total : {train.lossSum, train.correct, train.samples})
        mine.push_back(std::bit_cast<std::uint64_t>(total));
    for (const double sum : epochMetrics_)
        mine.push_back(std::bit_cast<std::uint64_t>(sum));
    std::vector<std::uint64_t> all(mine.size() *
                                   static_cast<std::size_t>(setup_.communicator.replicaCount()));
    TRY(setup_.communicator.allGather(mine, all));
    train.lossSum = std::bit_cast<double>(all[0]);
    train.correct = std::bit_cast<double>(all[1]);
    train.samples = std::bit_cast<double>(all[2]);
    train.metrics.assign(epochMetrics_.size(), 0.0);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const std::size_t place = i % mine.size(); place >= kTotals)
            train.metrics[place - kTotals] += std::bit_cast<double>(all[i]);
    return setup_.mesh != nullptr ? takeEpochScoreOfFirst() : Result<void>{};
}

Result<void> ReplicaLoop::decideEpoch(std::int64_t step) {
    if (step % setup_.plan.stepsPerEpoch != 0)
        beforeCut_ = Counters{watch_.patience(), plateau_.state()};
    if (setup_.events != nullptr && watch_.isActive())
        std::ignore = watch_.epochEnded({setup_.plan.epochOf(step), step, outcome_.train,
                                         outcome_.validation, &setup_.objective.metrics()});
    if (setup_.events != nullptr && plateau_.isActive() && outcome_.validation)
        std::ignore = plateau_.epochEnded(outcome_.validation->loss());
    return agreeOnWatch(step);
}

/// Replica 0's decision becomes everybody's: it alone has the figures of an epoch that a resume
/// went on with. Listeners are heard in every process. All call this after the same step.
Result<void> ReplicaLoop::agreeOnWatch(std::int64_t step) {
    enter(wire::PHASE_EVALUATE);
    const std::uint64_t mine[] = {
        watch_.wantsStop() ? std::uint64_t{1} : 0, static_cast<std::uint64_t>(watch_.best().step),
        std::bit_cast<std::uint64_t>(plateau_.rate()), listenerStops_ ? std::uint64_t{1} : 0};
    std::vector<std::uint64_t> all(std::size(mine) * static_cast<std::size_t>(replicaCount()));
    TRY(gatherOfJob(mine, all));
    outcome_.bestStep = static_cast<std::int64_t>(all[1]);
    if (plateau_.isActive()) steps_->setRate(std::bit_cast<double>(all[2]));
    if (setup_.events != nullptr) outcome_.best = watch_.best();
    const std::string listener = whoStopped(all, std::size(mine));
    const bool patienceEnds = all[0] != 0;
    // After the last step there is nothing left to stop.
    if ((!patienceEnds && listener.empty()) || step >= setup_.plan.totalSteps) return {};
    outcome_.stoppedEarlyAtEpoch = setup_.plan.epochOf(step);
    outcome_.stopped = false;  // it ends by itself, whatever was requested meanwhile
    if (setup_.events == nullptr) return {};
    outcome_.stoppedBecause = patienceEnds ? watch_.stopSentence() : listener;
    setup_.events->stoppedEarly(outcome_.stoppedBecause);
    return {};
}

/// Empty where no listener wants to stop.
std::string ReplicaLoop::whoStopped(std::span<const std::uint64_t> votes, std::size_t words) const {
    const auto perProcess = static_cast<std::size_t>(setup_.job.cluster.localReplicas());
    for (std::size_t replica = 0; replica * words < votes.size(); ++replica)
        if (votes[replica * words + words - 1] != 0)
            return fmt::format("a callback of process {} asked for it", replica / perProcess);
    return {};
}

}  // namespace lockstep::train
