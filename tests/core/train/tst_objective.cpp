// SPDX-License-Identifier: Apache-2.0
// Losses, gradients and metrics of every task against what Keras gives for them.
#include <QtTest>
#include <cmath>

#include "core/train/objective/objective.h"
#include "tests/support/golden_file.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::testing;
using config::LossKind;
using Use = Objective::Use;

namespace {

constexpr double kPrecision = 1e-6;

bool near(double found, double expected) {
    const bool isNear =
        std::abs(found - expected) <= kPrecision * std::max(1.0, std::abs(expected));
    if (!isNear) qWarning("%.9g instead of %.9g", found, expected);
    return isNear;
}

data::Dataset classData(std::int64_t classes) {
    data::Dataset data;
    data.train = std::make_shared<const data::Split>();
    data.facts = {.input = {4}, .classes = classes};
    return data;
}

data::Dataset valueData(std::int64_t values, double scale = 1) {
    data::Dataset data;
    data.train = std::make_shared<const data::Split>();
    data.validation = data.test = data.train;
    data.facts = {.input = {4}, .values = values};
    data.targetScale = scale;
    return data;
}

data::Dataset textData(std::int64_t positions, std::int64_t vocabulary) {
    data::Dataset data;
    data.train = std::make_shared<const data::Split>();
    data.facts = {.input = {positions}, .vocabulary = vocabulary};
    return data;
}

Objective objectiveOf(const config::TrainingSpec& training, const data::Dataset& data) {
    return Objective::make(training, data).value();
}

/// The message of what does not fit; empty: all does.
std::string refusal(const config::TrainingSpec& training, const data::Dataset& data) {
    const auto made = Objective::make(training, data);
    return made ? std::string() : made.error().message;
}

struct Outcome {
    SplitScore score;
    std::vector<float> gradient;
};

/// Of a batch whose gradients are divided by `items`.
Outcome run(const Objective& objective, const std::vector<float>& outputs,
            const BatchTargets& targets, double items, Use use = Use::Training) {
    Outcome outcome{{}, std::vector<float>(outputs.size(), 7)};
    outcome.score.metrics.resize(objective.metrics().size());
    objective.add(outputs, targets, use, static_cast<float>(1 / items), outcome.gradient,
                  outcome.score);
    return outcome;
}

double figure(const Objective& objective, const SplitScore& score, const std::string& name) {
    for (const Figure& one : objective.metrics().figures(score))
        if (one.name == name) return one.value;
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

class ObjectiveTest : public QObject {
    Q_OBJECT
    const GoldenFile golden_{LOCKSTEP_SOURCE_DIR "/tests/golden/objective.txt"};

    [[nodiscard]] std::vector<float> floats(const std::string& name) const {
        const auto& values = golden_.at(name).values;
        return {values.begin(), values.end()};
    }
    [[nodiscard]] std::vector<std::int32_t> labels(const std::string& name) const {
        const auto& values = golden_.at(name).values;
        return {values.begin(), values.end()};
    }
    [[nodiscard]] double one(const std::string& name) const { return golden_.at(name).values[0]; }

    bool agrees(const Outcome& outcome, const std::string& name) const {
        const auto& gradient = golden_.at(name + ".gradient").values;
        bool isEqual = near(outcome.score.loss(), one(name + ".loss")) &&
                       gradient.size() == outcome.gradient.size();
        for (std::size_t i = 0; isEqual && i < gradient.size(); ++i)
            isEqual = near(static_cast<double>(outcome.gradient[i]), gradient[i]);
        return isEqual;
    }

private slots:
    void crossEntropiesOfClassesAreKeras() {
        const auto data = classData(6);
        const auto logits = floats("logits");
        const auto truths = labels("labels");
        const BatchTargets targets{.labels = truths};
        config::TrainingSpec plain;
        QVERIFY(agrees(run(objectiveOf(plain, data), logits, targets, 9), "plain"));
        auto ignored = plain;
        ignored.loss.ignoredClass = 2;
        QVERIFY(agrees(run(objectiveOf(ignored, data), logits, targets, 7), "ignored"));
        auto weighted = plain;
        weighted.loss.classWeights = golden_.at("weights").values;
        QVERIFY(agrees(run(objectiveOf(weighted, data), logits, targets, 9), "weighted"));
        auto smoothed = plain;
        smoothed.loss.labelSmoothing = 0.1;
        QVERIFY(agrees(run(objectiveOf(smoothed, data), logits, targets, 9), "smoothed"));
        const auto others = labels("others");
        const auto shares = floats("shares");
        QVERIFY(agrees(run(objectiveOf(smoothed, data), logits,
                           {.labels = truths, .others = others, .shares = shares}, 9),
                       "mixed"));
    }
    void aCrossEntropyTakesSharesOfClasses() {
        config::TrainingSpec training;
        training.loss.kind = LossKind::CategoricalCrossEntropy;
        training.loss.labelSmoothing = 0.1;
        const auto shares = floats("distributions");
        const auto outcome =
            run(objectiveOf(training, valueData(6)), floats("logits"), {.values = shares}, 9);
        QVERIFY(agrees(outcome, "distributed"));
    }
    void lossesOfNumbersAreKeras() {
        const auto predictions = floats("predictions");
        const auto numbers = floats("targets");
        const auto answers = floats("answers");
        config::TrainingSpec training;
        training.loss.huberDelta = 1;
        const auto lossOf = [&](LossKind kind, const std::vector<float>& targets) {
            training.loss.kind = kind;
            return run(objectiveOf(training, valueData(3)), predictions, {.values = targets}, 9);
        };
        QVERIFY(agrees(lossOf(LossKind::Auto, numbers), "mean_squared_error"));
        QVERIFY(agrees(lossOf(LossKind::MeanAbsoluteError, numbers), "mean_absolute_error"));
        training.loss.huberDelta = 0.75;
        QVERIFY(agrees(lossOf(LossKind::Huber, numbers), "huber"));
        training.loss.huberDelta = 1;
        training.loss.labelSmoothing = 0.2;
        QVERIFY(agrees(lossOf(LossKind::BinaryCrossEntropy, answers), "binary"));
        // Without right and wrong there is no accuracy.
        training.loss.labelSmoothing = 0;
        QVERIFY(std::isnan(lossOf(LossKind::Huber, numbers).score.accuracy()));
    }
    void weightsHoldWhileTrainingAlone() {
        config::TrainingSpec weighted;
        weighted.loss.classWeights = golden_.at("weights").values;
        const auto truths = labels("labels");
        const auto scored = run(objectiveOf(weighted, classData(6)), floats("logits"),
                                {.labels = truths}, 9, Use::Scoring);
        QVERIFY(near(scored.score.loss(), one("plain.loss")));
    }
    void metricsOfClassesAreKeras() {
        config::TrainingSpec training;
        training.metrics = {"accuracy", "top_2_accuracy", "top_3_accuracy", "perplexity"};
        training.loss.labelSmoothing = 0.3;  // which no metric sees
        training.loss.classWeights = golden_.at("weights").values;
        const auto objective = objectiveOf(training, classData(6));
        const auto truths = labels("labels");
        const auto score =
            run(objective, floats("logits"), {.labels = truths}, 9, Use::Training).score;
        QVERIFY(near(score.accuracy(), one("metric.accuracy")));
        for (const char* name : {"top_2_accuracy", "top_3_accuracy", "perplexity"})
            QVERIFY2(near(figure(objective, score, name), one("metric." + std::string(name))),
                     name);
    }
    void metricsOfNumbersAreToldInTheTargetsOwnUnit() {
        config::TrainingSpec training;
        training.metrics = {"mean_absolute_error", "root_mean_squared_error"};
        const auto numbers = floats("targets");
        for (const double scale : {1.0, 1e-5}) {
            const auto objective = objectiveOf(training, valueData(3, scale));
            const auto score = run(objective, floats("predictions"), {.values = numbers}, 9).score;
            for (const std::string& name : training.metrics)
                QVERIFY(near(figure(objective, score, name) * scale, one("metric." + name)));
        }
    }
    void metricsOfYesAndNoAreKerasHoweverTheyAreCut() {
        config::TrainingSpec training;
        training.loss.kind = LossKind::BinaryCrossEntropy;
        training.metrics = {"auc", "precision", "recall", "binary_accuracy"};
        const auto logits = floats("many.logits");
        const auto truths = labels("many.truths");
        const auto objective = objectiveOf(training, classData(2));
        SplitScore sum;
        for (const auto& [begin, end] : {std::pair{0, 7}, {7, 7}, {7, 390}, {390, 400}}) {
            const std::vector<float> part(logits.begin() + begin, logits.begin() + end);
            const auto targets = std::span(truths).subspan(static_cast<std::size_t>(begin),
                                                           static_cast<std::size_t>(end - begin));
            sum.add(run(objective, part, {.labels = targets}, 400, Use::Scoring).score);
        }
        QVERIFY(near(sum.accuracy(), one("metric.binary_accuracy")));
        for (const std::string& name : training.metrics)
            QVERIFY2(near(figure(objective, sum, name), one("metric." + name)), name.c_str());
        // Two logits whose difference is the one above say the same.
        training.loss.kind = LossKind::Auto;
        training.metrics = {"auc", "precision", "recall"};
        std::vector<float> pairs;
        for (const float logit : logits)
            pairs.insert(pairs.end(), {0, logit});
        const auto two = objectiveOf(training, classData(2));
        const auto score = run(two, pairs, {.labels = truths}, 400).score;
        for (const std::string& name : training.metrics)
            QVERIFY2(near(figure(two, score, name), one("metric." + name)), name.c_str());
    }
    void textIsScoredPositionByPosition() {
        config::TrainingSpec training;
        training.loss.ignoredClass = 2;
        const auto objective = objectiveOf(training, textData(3, 6));
        QCOMPARE(objective.itemsPerSample(), std::size_t{3});
        const auto truths = labels("labels");
        const auto outcome = run(objective, floats("logits"), {.labels = truths}, 7);
        QCOMPARE(outcome.score.samples, 7.0);
        QVERIFY(agrees(outcome, "ignored"));
        QVERIFY(
            near(figure(objective, outcome.score, "perplexity"), std::exp(one("ignored.loss"))));
    }
    void balancedWeightsMakeUpForTheCounts() {
        data::Split split;
        const std::uint8_t classes[] = {0, 0, 0, 1, 0, 2, 2, 0};
        split.count = 8;
        split.targets = data::labelBytes(classes);
        const auto weights = balancedWeights(split, 4);
        QVERIFY((weights == std::vector<float>{8.0F / (4 * 5), 2, 1, 1}));  // the last has none
        // What is ignored counts for nothing: three samples of two classes are left.
        const auto others = balancedWeights(split, 3, 0);
        QCOMPARE(others[1], 3.0F / (2 * 1));
        QCOMPARE(others[2], 3.0F / (2 * 2));
    }
    void crossEntropiesRefuseTargetsThatAreNoShares() {
        auto data = valueData(2);
        auto split = std::make_shared<data::Split>();
        split->count = 2;
        split->targetKind = data::TargetKind::Values;
        split->valuesPerSample = 2;
        data.targetNames = {"rain", "snow"};
        data.test = split;
        const auto with = [&](const std::vector<float>& targets, LossKind kind) {
            split->targets = data::floatBytes(targets);
            config::TrainingSpec training;
            training.loss.kind = kind;
            return refusal(training, data);
        };
        for (const LossKind kind :
             {LossKind::BinaryCrossEntropy, LossKind::CategoricalCrossEntropy}) {
            QCOMPARE(with({0, 1, 0.25F, 0.75F}, kind), std::string());
            QVERIFY(with({0, 1, 0, -0.5F}, kind)
                        .ends_with("takes targets from 0 to 1, but a target of snow is -0.5"));
            QVERIFY(with({NAN, 1, 0, 0}, kind).ends_with("a target of rain is nan"));
        }
        QCOMPARE(with({5, 1, 0, 0}, LossKind::MeanSquaredError), std::string());
    }
    void aScaleIsForNumbersThatArePredicted() {
        config::LossSpec loss;
        const auto problemOf = [&](const data::Dataset& data) {
            return config::targetScaleProblem(0.5, config::taskOf(loss, data.facts).task);
        };
        QVERIFY(!problemOf(valueData(1)));
        QCOMPARE(model::sentenceOf(*problemOf(classData(2))),
                 std::string("data.target_scale is 0.5, but it is for numbers that are predicted, "
                             "and the loss is \"sparse_categorical_crossentropy\" of 2 classes"));
        loss.kind = LossKind::BinaryCrossEntropy;
        QVERIFY(problemOf(valueData(1)));
        QVERIFY(!config::targetScaleProblem(1, config::taskOf(loss, valueData(1).facts).task));
    }
    void whatDoesNotFitTheDataIsRefusedByName() {
        config::TrainingSpec training;
        training.loss.kind = LossKind::Huber;
        QCOMPARE(refusal(training, classData(6)),
                 std::string("training.loss is \"huber\", which takes numbers, but the data have 6 "
                             "classes"));
        training.loss.kind = LossKind::BinaryCrossEntropy;
        QVERIFY(refusal(training, classData(6)).find("two classes") != std::string::npos);
        QVERIFY(refusal(training, classData(2)).empty());
        training.loss.ignoredClass = 1;
        QVERIFY(refusal(training, classData(2)).starts_with("training.ignored_class"));
        training = {};
        training.loss.classWeights = {1, 2};
        QVERIFY(
            refusal(training, classData(3)).starts_with("training.class_weights has 2 weights"));
        QVERIFY(refusal(training, valueData(2)).starts_with("training.class_weights"));
        training = {};
        training.loss.ignoredClass = 6;
        QVERIFY(refusal(training, classData(6)).starts_with("training.ignored_class is 6"));
        for (const auto& [metric, data] : {std::pair{"top_7_accuracy", classData(6)},
                                           {"auc", classData(3)},
                                           {"perplexity", valueData(1)},
                                           {"mean_absolute_error", textData(2, 9)},
                                           {"binary_accuracy", classData(2)},
                                           {"accuracy", valueData(1)}}) {
            training = {};
            training.metrics = {metric};
            QVERIFY2(refusal(training, data).starts_with("training.metrics has"), metric);
        }
    }
};

QTEST_GUILESS_MAIN(ObjectiveTest)
#include "tst_objective.moc"
