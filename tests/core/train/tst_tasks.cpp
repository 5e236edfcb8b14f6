// SPDX-License-Identifier: Apache-2.0
// Whole runs that learn numbers, tokens and many classes: on any number of replicas, and resumed.
#include <QtTest>
#include <cmath>
#include <map>

#include "core/base/rng.h"
#include "core/model/description/read_description.h"
#include "core/train/replica/evaluation_report.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Hosts = std::vector<std::vector<int>>;

config::JobSpec described(const std::string& layers) {
    auto spec = smallSpec({});
    const auto toml = config::parseToml("layers = " + layers);
    const auto reading = model::readDescription(toml.value());
    for (const model::Problem& problem : reading.problems)
        qWarning("%s", model::sentenceOf(problem).c_str());
    spec.model = {.isDescribed = true, .description = reading.description};
    return spec;
}

std::shared_ptr<const data::Split> rows(std::uint32_t count, std::uint64_t seed, double scale) {
    CounterRng rng(seed);
    std::vector<float> inputs;
    std::vector<float> targets;
    for (std::uint32_t i = 0; i < count; ++i) {
        float sum = 0;
        for (int k = 0; k < 5; ++k) {
            inputs.push_back(rng.nextFloat(-1, 1));
            sum += static_cast<float>(k) * inputs.back();
        }
        targets.push_back(sum * static_cast<float>(scale) * 1000);
        targets.push_back((1 - sum) * static_cast<float>(scale) * 1000);
    }
    auto split = std::make_shared<data::Split>();
    split->count = count;
    split->inputKind = data::InputKind::Floats;
    split->targetKind = data::TargetKind::Values;
    split->shape = {5};
    split->valuesPerSample = 2;
    split->inputs = data::floatBytes(inputs);
    split->targets = data::floatBytes(targets);
    return split;
}

/// Two numbers that follow from five; 101 samples: a last batch of five.
data::Dataset numbers(double scale = 1e-3) {
    data::Dataset data;
    data.train = rows(101, 1, scale);
    data.validation = rows(43, 2, scale);
    data.test = rows(20, 3, scale);
    data.facts = {.input = {5}, .values = 2};
    data.targetNames = {"sum", "rest"};
    data.targetScale = scale;
    data.fingerprint = "00112233445566778899aabbccddeeff";
    return data;
}

config::JobSpec numbersSpec() {
    auto spec = described("[{ units = 8, activation = \"relu\" }, { units = 2 }]");
    spec.training.metrics = {"mean_absolute_error", "root_mean_squared_error"};
    return spec;
}

/// A counting of ten tokens, with token 9 now and then in between.
std::shared_ptr<const data::Split> text(std::uint32_t windows, std::uint64_t seed) {
    CounterRng rng(seed);
    std::vector<std::uint16_t> tokens;
    for (std::uint32_t i = 0; i < windows * 6 + 1; ++i)
        tokens.push_back(rng.nextBelow(7) == 0 ? 9 : static_cast<std::uint16_t>(i % 9));
    auto split = std::make_shared<data::Split>();
    split->count = windows;
    split->inputKind = data::InputKind::Tokens;
    split->targetKind = data::TargetKind::NextToken;
    split->shape = {6};
    split->stride = 6;
    split->inputs = data::labelBytes(tokens);
    return split;
}

data::Dataset tokens() {
    data::Dataset data;
    data.train = text(101, 1);
    data.validation = text(43, 2);
    data.test = text(20, 3);
    data.facts = {.input = {6}, .vocabulary = 10};
    data.preparation = R"({"kind": "text", "tokenizer": "characters", "characters": "abcdefghij"})";
    data.fingerprint = "00112233445566778899aabbccddeeff";
    return data;
}

config::JobSpec tokensSpec() {
    auto spec = described(R"([{ type = "embedding", input_dim = "vocabulary", output_dim = 8 },
                             { units = 16, activation = "relu" }, { units = "vocabulary" }])");
    spec.training.loss.ignoredClass = 9;
    spec.training.metrics = {"perplexity", "top_3_accuracy"};
    return spec;
}

using Figures = std::map<std::string, double>;

Figures figuresOf(const wire::EpochResult& epoch) {
    Figures figures{{"train_loss", epoch.train_loss()},
                    {"validation_loss", epoch.validation_loss()}};
    for (const wire::NamedFigure& figure : epoch.train_figures())
        figures["train_" + figure.name()] = figure.value();
    for (const wire::NamedFigure& figure : epoch.validation_figures())
        figures["validation_" + figure.name()] = figure.value();
    return figures;
}

struct Trained {
    std::vector<Figures> epochs;
    std::vector<double> losses;
    std::map<std::int64_t, checkpoint::LoadedCheckpoint> checkpoints;
    TrainingOutcome outcome;
};

checkpoint::LoadedCheckpoint copyOf(const checkpoint::Snapshot& snapshot) {
    checkpoint::LoadedCheckpoint copy;
    copy.state = snapshot.state;
    for (const auto& [from, to] :
         {std::pair{&snapshot.model, &copy.model}, std::pair{&snapshot.optimizer, &copy.optimizer}})
        for (const auto& tensor : *from)
            to->push_back(
                {tensor.name, tensor.shape, {tensor.values.begin(), tensor.values.end()}});
    copy.format = checkpoint::kCheckpointFormat;
    return copy;
}

Trained trained(const config::JobSpec& spec, const data::Dataset& data, const Hosts& hosts,
                const checkpoint::LoadedCheckpoint* from = nullptr) {
    const SmallJob small(spec, data);
    Trained trained;
    RecordedEvents events;
    events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
        trained.checkpoints[snapshot.state.step] = copyOf(snapshot);
    };
    Spread spread;
    spread.hosts = hosts;
    spread.events = &events;
    if (from != nullptr) {
        spread.start.step = from->state.step;
        spread.start.epochSoFar = {.lossSum = from->state.epochLossSum,
                                   .correct = from->state.epochCorrect,
                                   .samples = from->state.epochSamples,
                                   .metrics = from->state.epochMetrics};
        spread.start.checkpoint = *from;
    }
    const RunResult result = trainSmall(small, spread);
    for (const auto& outcome : result.outcomes)
        if (!outcome) qWarning("%s", outcome.error().message.c_str());
    for (const wire::EpochResult& epoch : events.epochs)
        trained.epochs.push_back(figuresOf(epoch));
    trained.losses = result.losses;
    trained.outcome = result.outcomes[0].value();
    return trained;
}

bool same(const Figures& a, const Figures& b, double precision) {
    bool isSame = a.size() == b.size() && !a.empty();
    for (const auto& [name, value] : a) {
        const bool isNear = b.contains(name) && std::abs(b.at(name) - value) <=
                                                    precision * std::max(1.0, std::abs(value));
        if (!isNear) qWarning("%s: %.12g", name.c_str(), value);
        isSame = isSame && isNear;
    }
    return isSame;
}

}  // namespace

class TasksTest : public QObject {
    Q_OBJECT
private slots:
    void replicasMeasureWhatOneDoes_data() {
        QTest::addColumn<bool>("isText");
        QTest::newRow("numbers") << false;
        QTest::newRow("text") << true;
    }
    void replicasMeasureWhatOneDoes() {
        QFETCH(bool, isText);
        auto spec = isText ? tokensSpec() : numbersSpec();
        spec.training.epochs = 3;
        const auto data = isText ? tokens() : numbers();
        const Trained one = trained(spec, data, {{1}});
        QCOMPARE(one.epochs.size(), std::size_t{3});
        QCOMPARE(one.epochs[0].size(), std::size_t{6});
        QVERIFY(one.epochs[2].at("train_loss") < one.epochs[0].at("train_loss"));
        for (const Hosts& hosts : {Hosts{{2}}, Hosts{{1, 1}, {2}}}) {
            const Trained more = trained(spec, data, hosts);
            for (std::size_t i = 0; i < 3; ++i)
                QVERIFY(same(one.epochs[i], more.epochs[i], 2e-5));
        }
    }
    void aResumeWithinAnEpochMeasuresItAsAWhole() {
        auto spec = tokensSpec();
        spec.training.epochs = 2;
        spec.checkpoint.everySteps = 6;  // 4 steps an epoch: the second one of the second epoch
        const Trained whole = trained(spec, tokens(), {{2}});
        const auto& saved = whole.checkpoints.at(6);
        QCOMPARE(saved.state.metrics, (std::vector<std::string>{"perplexity", "top_3_accuracy"}));
        QCOMPARE(saved.state.epochMetrics.size(), std::size_t{2});
        QVERIFY(saved.state.epochSamples > 0 && saved.state.epochSamples < 2 * 32 * 6);
        const Trained resumed = trained(spec, tokens(), {{1}, {1, 1}}, &saved);
        QCOMPARE(resumed.epochs.size(), std::size_t{1});
        QVERIFY(same(whole.epochs[1], resumed.epochs[0], 2e-5));
        // What was not measured before the resume is not known of that epoch.
        spec.training.metrics = {"top_2_accuracy"};
        const Trained other = trained(spec, tokens(), {{1}}, &saved);
        QVERIFY(!other.epochs[0].contains("train_top_2_accuracy"));
        QVERIFY(other.epochs[0].contains("validation_top_2_accuracy"));
    }
    void aMetricIsWatchedAsTheLossIs() {
        auto spec = numbersSpec();
        spec.training.epochs = 6;
        spec.earlyStopping.monitor = config::Monitor::ValidationMetric;
        spec.earlyStopping.metric = "mean_absolute_error";
        spec.earlyStopping.restoreBest = false;
        spec.earlyStopping.patience = 2;
        spec.earlyStopping.minDelta = 1e9;  // nothing is that much better
        const Trained stopped = trained(spec, numbers(), {{1}});
        QCOMPARE(stopped.outcome.stoppedEarlyAtEpoch, 3);
        spec.earlyStopping.minDelta = 0;
        const Trained best = trained(spec, numbers(), {{1}});
        QCOMPARE(best.outcome.stoppedEarlyAtEpoch, 0);
    }
    void numbersAreToldInTheirOwnUnit() {
        const SmallJob small(numbersSpec(), numbers());
        const auto device = tensor::openCpuDevice();
        auto evaluator = SplitEvaluator::make(*device, small.network, small.objective).value();
        std::vector<float> parameters(small.network.parameterCount());  // all zero: predicts 0
        const auto evaluation =
            evaluateSplit(evaluator, {parameters}, small.data, *small.data.test, 24);
        QVERIFY(evaluation.has_value());
        QVERIFY(std::isnan(evaluation->accuracy()));
        QCOMPARE(evaluation->values_size(), 20);
        QCOMPARE(evaluation->target_names(1), std::string("rest"));
        double absolute = 0;
        for (const wire::ValuePrediction& value : evaluation->values()) {
            QCOMPARE(value.prediction(0), 0.0F);
            // They add up to 1000, as the rows were made.
            QVERIFY(std::abs(value.truth(0) + value.truth(1) - 1000) < 0.1F);
            absolute += (std::abs(double{value.truth(0)}) + std::abs(double{value.truth(1)})) / 2;
        }
        for (const wire::NamedFigure& figure : evaluation->figures())
            if (figure.name() == "mean_absolute_error")
                QVERIFY(std::abs(figure.value() - absolute / 20) < 1e-2);
        const wire::Residuals& residuals = evaluation->residuals(0);
        QCOMPARE(residuals.quantiles_size(), 7);
        QVERIFY(residuals.quantiles(0) <= residuals.quantiles(3));
        QVERIFY(residuals.quantiles(3) <= residuals.quantiles(6));
        QCOMPARE(evaluation->confusion_size(), 0);
    }
    void predictionsThatAreNoNumbersAreCountedAndLeftOut() {
        const SmallJob small(numbersSpec(), numbers());
        const auto device = tensor::openCpuDevice();
        auto evaluator = SplitEvaluator::make(*device, small.network, small.objective).value();
        std::vector<float> parameters(small.network.parameterCount());
        const auto& bias = small.network.tensors().back();
        bias.in(std::span(parameters))[1] = NAN;
        const auto evaluation =
            evaluateSplit(evaluator, {parameters}, small.data, *small.data.test, 24);
        QVERIFY(evaluation.has_value());
        QCOMPARE(evaluation->residuals(0).quantiles_size(), 7);
        QCOMPARE(evaluation->residuals(1).quantiles_size(), 0);
        const auto& figures = evaluation->figures();
        const auto counted = std::ranges::find_if(figures, [](const wire::NamedFigure& figure) {
            return figure.name() == "errors_not_finite";
        });
        QVERIFY(counted != figures.end());
        QCOMPARE(counted->value(), 20.0);
    }
    void errorsOfTargetsThatAreNotToldCount() {
        constexpr std::uint32_t kTargets = 20;
        data::Dataset many = numbers();
        for (auto* split : {&many.train, &many.validation, &many.test}) {
            auto wide = std::make_shared<data::Split>(**split);
            wide->valuesPerSample = kTargets;
            std::vector<float> targets;
            for (std::uint32_t i = 0; i < wide->count * kTargets; ++i)
                targets.push_back(static_cast<float>(i % kTargets) * 1e-3F);
            wide->targets = data::floatBytes(targets);
            *split = wide;
        }
        many.facts.values = kTargets;
        many.targetNames.clear();
        for (std::uint32_t i = 0; i < kTargets; ++i)
            many.targetNames.push_back("target " + std::to_string(i));
        auto spec = described("[{ units = 20 }]");
        spec.training.metrics = {"mean_absolute_error"};
        const SmallJob small(spec, many);
        const auto device = tensor::openCpuDevice();
        auto evaluator = SplitEvaluator::make(*device, small.network, small.objective).value();
        std::vector<float> parameters(small.network.parameterCount());
        const auto figuresOf = [&] {
            const auto evaluation =
                evaluateSplit(evaluator, {parameters}, small.data, *small.data.test, 24).value();
            std::map<std::string, double> figures;
            for (const wire::NamedFigure& figure : evaluation.figures())
                figures[figure.name()] = figure.value();
            figures["told"] = evaluation.target_names_size();
            figures["left out"] = evaluation.targets_left_out();
            return figures;
        };
        auto figures = figuresOf();
        QCOMPARE(figures["told"], 16.0);
        QCOMPARE(figures["left out"], 4.0);
        QVERIFY(std::abs(figures["mean_absolute_error"] - 9.5) < 1e-3);  // of 0 to 19, predicted 0
        QVERIFY(!figures.contains("errors_not_finite"));
        small.network.tensors().back().in(std::span(parameters))[18] = NAN;
        figures = figuresOf();
        QCOMPARE(figures["errors_not_finite"], 20.0);  // of target 18 in each of 20 samples
    }
    void aNetworkWritesWhatItHasLearnt() {
        auto spec = tokensSpec();
        spec.training.epochs = 30;
        spec.training.learningRate = 0.01;
        const SmallJob small(spec, tokens());
        Spread spread;
        const auto parameters = trainSmall(small, spread).parameters[0];
        const auto device = tensor::openCpuDevice();
        auto evaluator = SplitEvaluator::make(*device, small.network, small.objective).value();
        // Near temperature 0 the likeliest token follows: it goes on counting.
        const std::uint16_t prompt[] = {3, 4};
        const auto written =
            evaluator.continueText({parameters}, prompt, {.tokens = 12, .temperature = 0.01});
        QVERIFY(written.has_value());
        for (std::size_t i = 0; i < written->size(); ++i)
            QCOMPARE(int{(*written)[i]}, int(5 + i) % 9);
        const auto again = evaluator.continueText({parameters}, prompt,
                                                  {.tokens = 12, .temperature = 3, .seed = 4});
        QVERIFY(again.value() ==
                evaluator
                    .continueText({parameters}, prompt, {.tokens = 12, .temperature = 3, .seed = 4})
                    .value());
    }
    void manyClassesAreToldByTheirFullestCells() {
        auto spec = described("[{ units = 300 }]");
        data::Dataset data;
        std::vector<std::uint16_t> labels;
        std::vector<std::uint8_t> pixels;
        for (std::uint16_t i = 0; i < 600; ++i) {
            labels.push_back(static_cast<std::uint16_t>(i % 300));
            for (int k = 0; k < 4; ++k)
                pixels.push_back(static_cast<std::uint8_t>(i * (k + 1)));
        }
        data.train = data.validation = data.test = std::make_shared<const data::Split>(
            data::imageSplit(600, {2, 2, 1}, pixels, data::labelBytes(labels)));
        data.facts = {.input = {2, 2, 1}, .classes = 300};
        spec = described("[{ type = \"flatten\" }, { units = 300 }]");
        const SmallJob small(spec, data);
        const auto device = tensor::openCpuDevice();
        auto evaluator = SplitEvaluator::make(*device, small.network, small.objective).value();
        std::vector<float> parameters(small.network.parameterCount());  // always class 0
        const auto evaluation = evaluateSplit(evaluator, {parameters}, data, *data.test, 24);
        QVERIFY(evaluation.has_value());
        QCOMPARE(evaluation->classes(), 300U);
        QCOMPARE(evaluation->confusion_size(), 0);
        QCOMPARE(evaluation->cells().count_size(), 300);
        QCOMPARE(evaluation->cells().samples_left_out(), std::uint64_t{0});
        for (int i = 0; i < 300; ++i) {
            QCOMPARE(evaluation->cells().count(i), 2U);
            QCOMPARE(evaluation->cells().prediction(i), 0U);
        }
        QCOMPARE(evaluation->per_class_accuracy(0), 1.0F);
        QCOMPARE(evaluation->per_class_accuracy(299), 0.0F);
        QCOMPARE(evaluation->samples_size(), 24);
    }
};

QTEST_GUILESS_MAIN(TasksTest)
#include "tst_tasks.moc"
