// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/thread.h"
#include "core/data/raw_sets.h"
#include "core/train/replica/evaluation.h"
#include "core/train/replica/evaluation_report.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

/// Class probabilities of one image in float64, from plain loops over named tensors.
std::vector<double> plainProbabilities(const program::Network& network,
                                       const std::vector<float>& parameters,
                                       std::span<const std::uint8_t> image) {
    std::vector<double> values;
    for (const std::uint8_t pixel : image)
        values.push_back(pixel / 255.0);
    const auto& tensors = network.tensors();
    for (std::size_t layer = 0; layer < tensors.size(); layer += 2) {
        const float* weight = parameters.data() + tensors[layer].offset;
        const float* bias = parameters.data() + tensors[layer + 1].offset;
        std::vector<double> next;
        for (std::size_t out = 0; out < static_cast<std::size_t>(tensors[layer].shape[0]); ++out) {
            double sum = static_cast<double>(bias[out]);
            for (std::size_t in = 0; in < values.size(); ++in)
                sum += values[in] * static_cast<double>(weight[out * values.size() + in]);
            next.push_back(layer + 2 < tensors.size() ? std::max(sum, 0.0) : sum);
        }
        values = std::move(next);
    }
    const double largest = *std::max_element(values.begin(), values.end());
    double total = 0;
    for (double& value : values)
        total += value = std::exp(value - largest);
    for (double& value : values)
        value /= total;
    return values;
}

/// A network that has learnt a little, so that it is right often but not always.
struct Scored {
    SmallJob small{smallSpec({24}), smallDigits(640, 0, 600)};
    std::vector<float> parameters;
    std::unique_ptr<tensor::Device> device = tensor::openCpuDevice();
    SplitEvaluator evaluator =
        SplitEvaluator::make(*device, small.network, small.objective).value();

    Scored() {
        flushDenormals();
        Spread spread;
        parameters = trainSmall(small, spread).parameters[0];
    }
};

}  // namespace

class EvaluationTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Scored> scored_;

    const data::Split& split() const { return *scored_->small.data.test; }
    wire::Evaluation evaluate(std::size_t samples) {
        return evaluateSplit(scored_->evaluator, {scored_->parameters}, scored_->small.data,
                             split(), samples)
            .value();
    }

private slots:
    void initTestCase() { scored_ = std::make_unique<Scored>(); }

    void lossAndAccuracyAreThoseOfAPlainComputation() {
        double loss = 0;
        double correct = 0;
        for (std::uint32_t i = 0; i < split().count; ++i) {
            const auto probabilities =
                plainProbabilities(scored_->small.network, scored_->parameters, split().input(i));
            loss -= std::log(probabilities[split().label(i)]);
            const auto best = std::max_element(probabilities.begin(), probabilities.end());
            correct += best - probabilities.begin() == split().label(i) ? 1 : 0;
        }
        const auto score =
            scored_->evaluator.score({scored_->parameters}, split(), 0, split().count).value();
        QCOMPARE(score.samples, 600.0);
        QVERIFY(std::abs(score.lossSum / loss - 1) < 1e-5);
        QCOMPARE(score.correct, correct);
        QVERIFY(correct > 100 && correct < 600);
        const auto evaluation = evaluate(0);
        QCOMPARE(evaluation.loss(), score.loss());
        QCOMPARE(evaluation.accuracy(), score.accuracy());
    }
    void partsAddUpToTheWhole() {
        auto& evaluator = scored_->evaluator;
        const auto whole = evaluator.score({scored_->parameters}, split(), 0, 600).value();
        SplitScore sum;
        for (const auto& [first, count] : {std::pair{0U, 1U}, {1U, 257U}, {258U, 342U}}) {
            const auto part = evaluator.score({scored_->parameters}, split(), first, count).value();
            sum.lossSum += part.lossSum;
            sum.correct += part.correct;
            sum.samples += part.samples;
        }
        QCOMPARE(sum.samples, whole.samples);
        QCOMPARE(sum.correct, whole.correct);
        QVERIFY(std::abs(sum.lossSum / whole.lossSum - 1) < 1e-6);
    }
    void anEmptyPartHasNoLoss() {
        const auto score = scored_->evaluator.score({scored_->parameters}, split(), 7, 0).value();
        QCOMPARE(score.samples, 0.0);
        QVERIFY(std::isnan(score.loss()));
    }
    void theConfusionMatrixCountsEverySampleOnce() {
        const auto evaluation = evaluate(0);
        QCOMPARE(evaluation.confusion_size(), 100);
        std::vector<std::uint32_t> labels(10);
        for (const std::uint8_t label : data::packedLabels(split()))
            ++labels[label];
        std::uint32_t hits = 0;
        for (int truth = 0; truth < 10; ++truth) {
            std::uint32_t row = 0;
            for (int predicted = 0; predicted < 10; ++predicted)
                row += evaluation.confusion(truth * 10 + predicted);
            QCOMPARE(row, labels[static_cast<std::size_t>(truth)]);
            const auto right = evaluation.confusion(truth * 10 + truth);
            hits += right;
            QCOMPARE(evaluation.per_class_accuracy(truth),
                     static_cast<float>(right) / static_cast<float>(row));
        }
        QCOMPARE(static_cast<double>(hits) / split().count, evaluation.accuracy());
    }
    void twoThirdsOfTheSamplesAreTheHardestTheRestIsSpread() {
        const auto evaluation = evaluate(24);
        QCOMPARE(evaluation.samples_size(), 24);
        std::vector<std::pair<double, std::uint32_t>> byHardness;
        for (std::uint32_t i = 0; i < split().count; ++i)
            byHardness.emplace_back(plainProbabilities(scored_->small.network, scored_->parameters,
                                                       split().input(i))[split().label(i)],
                                    i);
        std::sort(byHardness.begin(), byHardness.end());
        for (int i = 0; i < 16; ++i) {
            const auto& [probability, index] = byHardness[static_cast<std::size_t>(i)];
            QCOMPARE(evaluation.samples(i).index(), index);
            QVERIFY(std::abs(static_cast<double>(evaluation.samples(i).truth_probability()) /
                                 probability -
                             1) < 1e-3);
        }
        for (int i = 0; i < 8; ++i)
            QCOMPARE(evaluation.samples(16 + i).index(), static_cast<std::uint32_t>(i * 75));
    }
    void aSampleShowsItsImageItsTruthAndWhatWasPredicted() {
        const auto evaluation = evaluate(9);
        for (const wire::SamplePrediction& sample : evaluation.samples()) {
            const auto image = split().input(sample.index());
            QVERIFY(sample.pixels() == std::string(image.begin(), image.end()));
            QCOMPARE(sample.truth(), std::uint32_t{split().label(sample.index())});
            const auto probabilities =
                plainProbabilities(scored_->small.network, scored_->parameters, image);
            const auto best = std::max_element(probabilities.begin(), probabilities.end());
            QCOMPARE(sample.prediction(), static_cast<std::uint32_t>(best - probabilities.begin()));
            QVERIFY(std::abs(static_cast<double>(sample.probability()) - *best) < 1e-5);
        }
    }
    void aSplitWithFewerSamplesThanAskedForShowsThemAll() {
        const auto tiny = digitsFrom(70'000, 5);
        const auto evaluation =
            evaluateSplit(scored_->evaluator, {scored_->parameters}, scored_->small.data, *tiny, 24)
                .value();
        QCOMPARE(evaluation.samples_size(), 5);
    }
    void anEmptySplitHasNoScore() {
        const auto evaluation = evaluateSplit(scored_->evaluator, {scored_->parameters},
                                              scored_->small.data, *digitsFrom(0, 0), 24)
                                    .value();
        QCOMPARE(evaluation.samples_size(), 0);
        QVERIFY(std::isnan(evaluation.accuracy()));
        QVERIFY(std::isnan(evaluation.per_class_accuracy(3)));
    }
    void oneRecordHoldsAnEvaluationOfTheWholePage() {
        wire::Record record;
        *record.mutable_evaluation() = evaluate(24);
        QVERIFY(record.ByteSizeLong() < 256U << 10);
    }
    void samplesOfAnIgnoredClassAreNowhereInAnEvaluation() {
        auto spec = smallSpec({24});
        spec.training.loss.ignoredClass = 3;
        SmallJob small(spec, smallDigits(64, 0, 600));
        auto evaluator =
            SplitEvaluator::make(*scored_->device, small.network, small.objective).value();
        const auto all = evaluate(600);
        const auto some =
            evaluateSplit(evaluator, {scored_->parameters}, small.data, split(), 600).value();
        std::uint32_t counted = 0;
        for (int truth = 0; truth < 10; ++truth) {
            for (int predicted = 0; predicted < 10; ++predicted) {
                const int cell = truth * 10 + predicted;
                QCOMPARE(some.confusion(cell), truth == 3 ? 0U : all.confusion(cell));
                counted += some.confusion(cell);
            }
            if (truth == 3)
                QVERIFY(std::isnan(some.per_class_accuracy(truth)));
            else
                QCOMPARE(some.per_class_accuracy(truth), all.per_class_accuracy(truth));
        }
        QVERIFY(counted > 400 && counted < 600);
        QCOMPARE(static_cast<std::uint32_t>(some.samples_size()), counted);
        for (const wire::SamplePrediction& sample : some.samples())
            QVERIFY(sample.truth() != 3);
    }
    void theMemoryOfScoringIsBoundedWhateverTheNetwork() {
        // 2 MiB of values a sample: 512 MiB for as many samples as a small network takes.
        SmallJob wide(smallSpec({16, 512 << 10}), smallDigits(64, 0, 150));
        auto evaluator =
            SplitEvaluator::make(*scored_->device, wide.network, wide.objective).value();
        QVERIFY(evaluator.batch() >= 64 && evaluator.batch() < 150);
        QCOMPARE(scored_->evaluator.batch(), SplitEvaluator::kMostRows);
    }
};

QTEST_GUILESS_MAIN(EvaluationTest)
#include "tst_evaluation.moc"
