// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/scored_samples.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/load_dataset.h"
#include "core/data/sample_preview.h"
#include "core/job/handover/opened_network.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/objective/objective.h"
#include "core/train/replica/evaluation.h"

namespace lockstep::job {

namespace {

using Prediction = train::SplitEvaluator::Prediction;

/// A sample whose class counts, and what was said of it.
struct Scored {
    std::uint32_t index = 0;
    Prediction prediction;
    int truth = 0;
};

class SamplesOfSplit final : public ScoredSamples {
public:
    SamplesOfSplit(std::shared_ptr<const data::Split> split, std::vector<Scored> scored)
        : split_(std::move(split)), scored_(std::move(scored)) {
        std::ranges::stable_sort(scored_, {}, [](const Scored& each) {
            const float certain = each.prediction.truthProbability;
            return std::isnan(certain) ? -1.0F : certain;
        });
        for (const Scored& each : scored_)
            if (isWrong(each)) wrong_.push_back(each.index);
        std::ranges::sort(wrong_);
    }

    Page page(int truth, int prediction, std::size_t first, std::size_t count) const override {
        return pageOf(truth, prediction, first, count, [](const Scored&) { return true; });
    }

    Page changed(const ScoredSamples& before, ScoredChange change, int truth, int prediction,
                 std::size_t first, std::size_t count) const override {
        const bool isBroken = change == ScoredChange::Broken;
        return pageOf(truth, prediction, first, count, [&](const Scored& each) {
            const bool wasWrong = std::ranges::binary_search(before.wrong(), each.index);
            return isWrong(each) == isBroken && wasWrong != isBroken;
        });
    }

    const std::vector<std::uint32_t>& wrong() const override { return wrong_; }

private:
    static bool isWrong(const Scored& each) { return each.prediction.predicted != each.truth; }

    template <typename Wanted>
    Page pageOf(int truth, int prediction, std::size_t first, std::size_t count,
                Wanted wanted) const {
        Page page{.first = first};
        for (const Scored& each : scored_) {
            if (truth >= 0 && each.truth != truth) continue;
            if (prediction >= 0 && each.prediction.predicted != prediction) continue;
            if (!wanted(each)) continue;
            page.wrong += isWrong(each) ? 1 : 0;
            if (page.all++ < first || page.samples.size() >= count) continue;
            EvaluationView::Sample sample{.index = static_cast<int>(each.index),
                                          .truth = each.truth,
                                          .prediction = each.prediction.predicted,
                                          .probability = each.prediction.probability,
                                          .truthProbability = each.prediction.truthProbability,
                                          .pixels = {}};
            if (split_->inputKind == data::InputKind::Pixels)
                sample.pixels = std::make_shared<const std::vector<std::uint8_t>>(
                    data::previewOf(*split_, each.index));
            page.samples.push_back(std::move(sample));
        }
        return page;
    }

    std::shared_ptr<const data::Split> split_;
    std::vector<Scored> scored_;  ///< The hardest first.
    std::vector<std::uint32_t> wrong_;
};

Result<std::vector<Scored>> computed(train::SavedNetwork& saved, const train::Objective& objective,
                                     const data::Split& split, const data::LoadWatch& watch) {
    yieldToOthers();  // a training may run here
    const auto device = tensor::openCpuDevice();
    auto evaluator = TRY(train::SplitEvaluator::make(*device, saved.network, objective));
    flushDenormals();
    std::atomic<bool> stop = false;
    const std::stop_callback onStop(watch.stop, [&stop] { stop = true; });
    std::vector<Scored> scored;
    TRY(evaluator.forEachBatch(
        {saved.parameters, saved.statistics}, split, 0, split.count, &stop,
        [&](const train::SplitEvaluator::Computed& batch) {
            const std::size_t columns = batch.outputs.size() / batch.rows;
            for (std::uint32_t row = 0; row < batch.rows; ++row) {
                const std::int32_t truth = batch.targets.labels[row];
                if (truth == objective.ignoredClass()) continue;
                const auto outputs = batch.outputs.subspan(row * columns, columns);
                scored.push_back(
                    {batch.first + row, evaluator.predictionOf(outputs, truth), truth});
            }
            watch.report({data::LoadProgress::Unit::Images, batch.first + batch.rows, split.count});
        }));
    TRY(watch.stillWanted());
    return scored;
}

}  // namespace

Result<std::shared_ptr<const ScoredSamples>> scoreSamples(const ScoredSplit& scored,
                                                          const data::LoadWatch& watch) {
    auto saved = TRY(openStep(scored.runDir, scored.step));
    auto data = TRY(data::loadDataset(saved.job.data, scored.runDir, cacheFolder(), watch));
    TRY(train::checkSameData(saved.state, data));
    const auto split = scored.split == "test" ? data.test : data.validation;
    if (split->targetKind != data::TargetKind::Class)
        return fail(ErrorCode::BadInput, "the samples of this run have no classes",
                    "Its evaluation tells what there is to tell.");
    const auto objective = TRY(train::Objective::make(saved.job.training, data));
    auto all = TRY(computed(saved, objective, *split, watch));
    return std::make_shared<const SamplesOfSplit>(split, std::move(all));
}

}  // namespace lockstep::job
