// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/sample_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/load_dataset.h"
#include "core/job/handover/opened_network.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/objective/objective.h"
#include "core/train/replica/evaluation.h"

namespace lockstep::job {

namespace {

/// The data of a run, and a program for its network: of the first checkpoint that could be read, as
/// all of a run have one network.
class Asker {
public:
    Asker(const AskedSamples& asked, const data::LoadWatch& watch) : asked_(asked), watch_(watch) {}

    /// What keeps one checkpoint from answering is in `step`; an error ends the asking.
    Result<void> ask(StepAnswers& step) {
        auto opened = openStep(asked_.runDir, step.step);
        if (!opened) {
            step.answers = fail(opened.error());
            return {};
        }
        const auto network = std::make_shared<train::SavedNetwork>(std::move(*opened));
        if (!evaluator_) TRY(begin(network));
        if (auto same = train::checkSameData(network->state, data_); !same) {
            step.answers = fail(same.error());
            return {};
        }
        step.answers = TRY(answersOf(*network));
        return {};
    }

private:
    Result<void> begin(std::shared_ptr<const train::SavedNetwork> first) {
        first_ = std::move(first);
        data_ = TRY(data::loadDataset(first_->job.data, asked_.runDir, cacheFolder(), watch_));
        split_ = asked_.split == "test" ? data_.test : data_.validation;
        if (split_->targetKind != data::TargetKind::Class)
            return fail(ErrorCode::BadInput, "the samples of this run have no classes",
                        "Its evaluation tells what there is to tell.");
        const auto beyond =
            std::ranges::find_if(asked_.samples, [&](auto each) { return each >= split_->count; });
        if (beyond != asked_.samples.end())
            return fail(ErrorCode::BadInput,
                        fmt::format("the {} data have no sample {}: {} in all", asked_.split,
                                    *beyond, split_->count),
                        "The run's data are others now than those that it was trained on.");
        objective_.emplace(TRY(train::Objective::make(first_->job.training, data_)));
        device_ = tensor::openCpuDevice();
        evaluator_.emplace(
            TRY(train::SplitEvaluator::make(*device_, first_->network, *objective_)));
        flushDenormals();
        return {};
    }

    Result<std::vector<EvaluationView::Sample>> answersOf(train::SavedNetwork& network) {
        std::vector<EvaluationView::Sample> answers;
        answers.reserve(asked_.samples.size());
        for (const std::uint32_t index : asked_.samples) {
            TRY(watch_.stillWanted());
            TRY(evaluator_->forEachBatch(
                {network.parameters, network.statistics}, *split_, index, 1, nullptr,
                [&](const train::SplitEvaluator::Computed& batch) {
                    const std::int32_t truth = batch.targets.labels[0];
                    if (truth == objective_->ignoredClass()) return;
                    const auto said = evaluator_->predictionOf(batch.outputs, truth);
                    answers.push_back({.index = static_cast<int>(index),
                                       .truth = truth,
                                       .prediction = said.predicted,
                                       .probability = said.probability,
                                       .truthProbability = said.truthProbability,
                                       .pixels = {}});
                }));
        }
        return answers;
    }

    const AskedSamples& asked_;
    const data::LoadWatch& watch_;
    std::shared_ptr<const train::SavedNetwork> first_;  ///< Whose network is computed with.
    data::Dataset data_;
    std::shared_ptr<const data::Split> split_;
    std::optional<train::Objective> objective_;
    std::unique_ptr<tensor::Device> device_;
    std::optional<train::SplitEvaluator> evaluator_;
};

}  // namespace

Result<void> askCheckpoints(const AskedSamples& asked, const HearStep& hear,
                            const data::LoadWatch& watch) {
    yieldToOthers();  // a training may run here
    Asker asker(asked, watch);
    for (const std::int64_t step : asked.steps) {
        TRY(watch.stillWanted());
        StepAnswers answers{.step = step};
        TRY(asker.ask(answers));
        hear(std::move(answers));
    }
    return {};
}

}  // namespace lockstep::job
