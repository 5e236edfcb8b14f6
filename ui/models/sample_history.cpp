// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/sample_history.h"

#include <QStringList>
#include <algorithm>

#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

using State = HistoryPoint::State;

/// What is known, and whether something that is not known lies before it, behind the known one
/// before.
struct Known {
    const HistoryPoint* point;
    bool hasGapBefore;
};

std::vector<Known> knownIn(const History& history) {
    std::vector<Known> known;
    bool isGap = false;
    for (const HistoryPoint& point : history) {
        if (point.isKnown()) known.push_back({&point, isGap && !known.empty()});
        isGap = !point.isKnown();
    }
    return known;
}

/// Where all are right, or all are wrong.
QString steadySentence(const std::vector<Known>& known, const History& history) {
    const bool isRight = known.front().point->isRight();
    const auto all = qint64(known.size());
    if (all == 1) {
        const QString step = units::count(known.front().point->step);
        return isRight ? tr("Right at step %1; no other answer is known.").arg(step)
                       : tr("Wrong at step %1; no other answer is known.").arg(step);
    }
    const QString count = units::count(all);
    if (known.size() == history.size())
        return isRight ? tr("Right at all %1 checkpoints.").arg(count)
                       : tr("Wrong at all %1 checkpoints.").arg(count);
    return isRight ? tr("Right at all %1 checkpoints whose answer is known.").arg(count)
                   : tr("Wrong at all %1 checkpoints whose answer is known.").arg(count);
}

/// Since when it is as it is now.
QString sinceSentence(const std::vector<Known>& known) {
    const bool isRight = known.back().point->isRight();
    const auto last = std::find_if(known.rbegin(), known.rend(), [isRight](const Known& each) {
        return each.point->isRight() != isRight;
    });
    const Known& since = *last.base();
    const QString step = units::count(since.point->step);
    if (!since.hasGapBefore)
        return isRight ? tr("Right since step %1.").arg(step)
                       : tr("Wrong since step %1.").arg(step);
    const QString before = units::count(last->point->step);
    return isRight ? tr("Right since step %1 at the latest; wrong at step %2.").arg(step, before)
                   : tr("Wrong since step %1 at the latest; right at step %2.").arg(step, before);
}

}  // namespace

void SampleHistory::setRun(const job::RunView& run, const std::string& split) {
    if (run.runDir != runDir_ || split != split_) checkpoints_.clear();
    runDir_ = run.runDir;
    split_ = split;
    auto before = std::exchange(checkpoints_, {});
    for (const job::CheckpointView& each : run.checkpoints) {  // the newest of a step counts
        if (!each.error.empty()) continue;
        checkpoints_[each.step].wallTime = each.wallTime;
        checkpoints_[each.step].isStored = !each.deleted;
    }
    for (const auto& each : run.evaluations)
        if (each->error.empty() && each->split == split) {
            // Of a run whose journal lacks the checkpoint: the files tell when they are asked.
            const bool isNew = !checkpoints_.contains(each->step);
            checkpoints_[each->step].evaluation = each;
            if (isNew) checkpoints_[each->step].isStored = true;
        }
    for (auto& [step, checkpoint] : checkpoints_) {
        const auto found = before.find(step);
        if (found == before.end() || found->second.wallTime != checkpoint.wallTime) continue;
        checkpoint.computed = std::move(found->second.computed);
        checkpoint.problem = std::move(found->second.problem);
    }
}

void SampleHistory::add(std::int64_t step,
                        const std::vector<job::EvaluationView::Sample>& answers) {
    const auto found = checkpoints_.find(step);
    if (found == checkpoints_.end()) return;
    found->second.problem.clear();
    for (const auto& each : answers)
        found->second.computed[each.index] = {each.truth, each.prediction, each.probability,
                                              each.truthProbability};
}

void SampleHistory::addProblem(std::int64_t step, const QString& problem) {
    if (const auto found = checkpoints_.find(step); found != checkpoints_.end())
        found->second.problem = problem;
}

void SampleHistory::forgetProblems() {
    for (auto& [step, checkpoint] : checkpoints_)
        checkpoint.problem.clear();
}

HistoryPoint SampleHistory::pointOf(std::int64_t step, const Checkpoint& checkpoint, int sample) {
    HistoryPoint point{.step = step};
    const auto fill = [&point](const auto& answer, State state) {
        point.state = state;
        point.truth = answer.truth;
        point.prediction = answer.prediction;
        point.probability = answer.probability;
        point.truthProbability = answer.truthProbability;
    };
    if (const auto found = checkpoint.computed.find(sample); found != checkpoint.computed.end()) {
        fill(found->second, State::Computed);
        return point;
    }
    if (checkpoint.evaluation) {
        const auto& samples = checkpoint.evaluation->samples;
        const auto found = std::ranges::find(samples, sample, &job::EvaluationView::Sample::index);
        if (found != samples.end()) {
            fill(*found, State::Recorded);
            return point;
        }
    }
    point.problem = checkpoint.problem;
    point.state = !checkpoint.problem.isEmpty() ? State::Failed
                  : checkpoint.isStored         ? State::NotAsked
                                                : State::Gone;
    return point;
}

History SampleHistory::of(int sample) const {
    History history;
    for (const auto& [step, checkpoint] : checkpoints_)
        history.push_back(pointOf(step, checkpoint, sample));
    return history;
}

std::vector<std::int64_t> SampleHistory::toAsk(const std::vector<std::uint32_t>& samples,
                                               std::size_t most) const {
    std::vector<std::int64_t> steps;
    for (auto each = checkpoints_.rbegin(); each != checkpoints_.rend(); ++each) {
        if (steps.size() >= most) break;
        const bool isWanted =
            each->second.isStored && std::ranges::any_of(samples, [&each](std::uint32_t sample) {
                return !pointOf(each->first, each->second, int(sample)).isKnown();
            });
        if (isWanted) steps.push_back(each->first);
    }
    return steps;
}

QString historySentence(const History& history) {
    const std::vector<Known> known = knownIn(history);
    if (known.empty()) return {};
    const bool isSteady = std::ranges::all_of(known, [&known](const Known& each) {
        return each.point->isRight() == known.front().point->isRight();
    });
    QString sentence = isSteady ? steadySentence(known, history) : sinceSentence(known);
    int changes = 0;
    std::int64_t last = 0;
    bool hasGap = false;
    for (std::size_t i = 1; i < known.size(); ++i) {
        hasGap = hasGap || known[i].hasGapBefore;
        if (known[i].point->prediction == known[i - 1].point->prediction) continue;
        ++changes;
        last = known[i].point->step;
    }
    if (changes < 2) return sentence;
    const QString times = hasGap ? tr("It changed its mind at least %1 times, last at step %2.")
                                 : tr("It changed its mind %1 times, last at step %2.");
    return sentence + QLatin1Char(' ') +
           times.arg(units::count(changes), units::count(qint64(last)));
}

QString historyGaps(const History& history) {
    const auto count = [&history](State state) {
        return qint64(std::ranges::count(history, state, &HistoryPoint::state));
    };
    const QString all = units::count(qint64(history.size()));
    QStringList sentences;
    if (const qint64 gone = count(State::Gone); gone > 0)
        sentences << tr("Gone, with nothing recorded of this sample, and not asked: %1 of %2 "
                        "checkpoints.")
                         .arg(units::count(gone), all);
    if (const qint64 waiting = count(State::NotAsked); waiting > 0)
        sentences << tr("Not asked yet: %1 of %2.").arg(units::count(waiting), all);
    if (const qint64 failed = count(State::Failed); failed > 0) {
        const auto first = std::ranges::find(history, State::Failed, &HistoryPoint::state);
        sentences
            << tr("Could not answer: %1 of %2, %3.").arg(units::count(failed), all, first->problem);
    }
    return sentences.join(QLatin1Char(' '));
}

}  // namespace lockstep::ui
