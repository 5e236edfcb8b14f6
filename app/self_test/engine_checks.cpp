// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "app/self_test/check.h"
#include "app/self_test/sample.h"
#include "core/base/try.h"
#include "core/data/raw_sets.h"
#include "core/optim/optimizer.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/tensor/cpu/layers/losses.h"
#include "core/tensor/cpu/operations.h"
#include "core/train/replica/evaluation.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::app {

namespace {

constexpr std::chrono::seconds kTimeout{60};
constexpr int kBatch = 96;  // 1000 samples: ten whole batches and one of 40

using config::Precision;
using Kind = config::OptimizerKind;

Sample denseSample() {
    return Sample::make(kBatch, Kind::Adam);
}

/// Weights and moments after steps, and the figures of every step.
struct Trained {
    std::vector<float> parameters;
    std::vector<float> statistics;
    std::vector<std::vector<float>> moments;
    std::vector<tensor::EngineFigures> figures;
};

Result<Trained> train(const Sample& sample, tensor::StepEngine& engine, std::int64_t steps) {
    Trained result;
    std::int64_t next = 1;
    while (next <= steps || engine.underWay() > 0) {
        while (next <= steps && engine.underWay() < 2) {
            std::vector<tensor::EngineStep> window;
            for (; next <= steps && window.size() < 4; ++next)
                window.push_back(sample.stepAt(next));
            if (auto sent = engine.enqueue(window); !sent) return fail(std::move(sent).error());
        }
        const auto figures = TRY(engine.collect(kTimeout));
        result.figures.insert(result.figures.end(), figures.begin(), figures.end());
    }
    const std::size_t count = sample.parameters.size();
    result.parameters.resize(count);
    result.statistics.resize(sample.statistics.size());
    result.moments.assign(train::updateOf(sample.job.training).momentCount(),
                          std::vector<float>(count));
    std::vector<std::span<float>> moments(result.moments.begin(), result.moments.end());
    if (auto got = engine.download(result.parameters, result.statistics, moments); !got)
        return fail(std::move(got).error());
    return result;
}

Result<Trained> trainFresh(const Sample& sample, Precision precision, bool captured,
                           std::int64_t steps) {
    auto engine = sample.engine(precision, captured, nullptr);
    if (!engine) return fail(std::move(engine).error());
    return train(sample, **engine, steps);
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// How a device may round for this precision: tf32 is float32 before Ampere, and how tensor cores
/// round to it is nowhere written.
std::vector<Rounding> roundingsOf(Precision precision) {
    switch (precision) {
        case Precision::Float32:
            return {Rounding::None};
        case Precision::Tf32:
            return {Rounding::Tf32Nearest, Rounding::Tf32TowardsZero, Rounding::None};
        case Precision::BFloat16:
            return {Rounding::BFloat16};
    }
    return {};
}

Result<std::string> gradientsNear(Precision precision, double most) {
    const Sample sample = Sample::make(kBatch, config::OptimizerKind::Adam);
    auto engine = sample.engine(precision, false, nullptr);
    if (!engine) return fail(std::move(engine).error());
    std::vector<float> gradients(sample.parameters.size());
    const tensor::EngineStep step = sample.stepAt(1);
    const auto totals = TRY((*engine)->gradients(step, gradients));
    const auto order = sample.batches().epochOrder(0);
    const auto samples = std::span(order).subspan(step.first, step.count);
    double error = std::numeric_limits<double>::infinity();
    for (const Rounding rounding : roundingsOf(precision)) {
        const Reference reference = referenceGradients(sample, samples, rounding);
        if (std::abs(totals.lossSum - reference.lossSum) > most * reference.lossSum) continue;
        error = std::min(error, relativeError(gradients, reference.gradients));
    }
    if (std::isinf(error) || totals.samples != kBatch)
        return fail(ErrorCode::Corrupt, "the loss is not the reference's");
    return judge(error, most);
}

Result<std::string> capturedEqualsUncaptured(const Sample& sample, Precision precision) {
    const auto captured = trainFresh(sample, precision, true, 11);
    const auto direct = trainFresh(sample, precision, false, 11);
    if (!captured) return fail(captured.error());
    if (!direct) return fail(direct.error());
    if (!sameBits(captured->parameters, direct->parameters) ||
        !sameBits(captured->statistics, direct->statistics) ||
        !sameBits(captured->moments[1], direct->moments[1]))
        return fail(ErrorCode::Corrupt, "a captured step gives other bits than one that is not");
    return std::string("11 steps, one of them smaller: bit for bit");
}

Result<std::string> runToRun() {
    const Sample sample = Sample::make(kBatch, config::OptimizerKind::Adam);
    const auto one = trainFresh(sample, Precision::Float32, true, 11);
    const auto two = trainFresh(sample, Precision::Float32, true, 11);
    if (!one) return fail(one.error());
    if (!two) return fail(two.error());
    if (!sameBits(one->parameters, two->parameters))
        return fail(ErrorCode::Corrupt, "the same steps gave other bits the second time");
    return std::string("bit for bit");
}

/// The gradients that the GPU has, applied there and by the CPU's loops.
Result<std::string> updatesAreTheCpus() {
    for (const Kind kind : {Kind::Sgd, Kind::Adam, Kind::AdamW, Kind::RmsProp, Kind::Lion}) {
        Sample sample = Sample::make(kBatch, kind);
        sample.job.training.momentum = kind == Kind::Sgd ? 0.9 : 0;
        auto engine = TRY(sample.engine(Precision::Float32, true, nullptr));
        std::vector<float> gradients(sample.parameters.size());
        std::ignore = TRY(engine->gradients(sample.stepAt(1), gradients));
        const Trained trained = TRY(train(sample, *engine, 1));
        const auto optimizer = TRY(optim::Optimizer::make(sample.job.training));
        std::vector<std::vector<float>> moments(trained.moments.size(),
                                                std::vector<float>(sample.parameters.size()));
        optim::Moments spans;
        std::ranges::copy(moments, spans.begin());
        std::vector<float> expected = sample.parameters;
        optimizer.update(0, expected.size(), gradients, expected, spans, 1);
        if (!sameBits(trained.parameters, expected) || trained.moments != moments)
            return fail(ErrorCode::Corrupt, "an update gives other bits than on the CPU");
    }
    return std::string("five rules, bit for bit");
}

/// The same steps by the CPU.
Trained trainOnCpu(const Sample& sample, std::int64_t steps) {
    const auto device = tensor::openCpuDevice();
    const auto optimizer = optim::Optimizer::make(sample.job.training).value();
    const auto executor =
        program::CpuExecutor::make(*device, program::compile(sample.network->graph(), kBatch,
                                                             program::Program::Mode::Training))
            .value();
    program::NoReplicaSum alone;
    const auto order = sample.batches().epochOrder(0);
    const std::size_t features = sample.network->inputFeatures();
    const std::size_t classes = sample.network->outputFeatures();
    Trained state;
    state.parameters = sample.parameters;
    state.statistics = sample.statistics;
    std::vector<float> gradients(state.parameters.size());
    state.moments.assign(2, std::vector<float>(state.parameters.size()));
    std::vector<float> pixels(kBatch * features);
    std::vector<std::int32_t> labels(kBatch);
    const auto stored = data::packedLabels(*sample.data.train);
    for (std::int64_t step = 1; step <= steps; ++step) {
        const tensor::EngineStep one = sample.stepAt(step);
        const auto indices = std::span(order).subspan(one.first, one.count);
        const tensor::Matrix x{pixels.data(), one.count, features};
        const auto y = std::span(labels).first(one.count);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            tensor::scaleBytes(
                std::span(sample.data.train->inputs).subspan(indices[i] * features, features),
                x.row(i));
            y[i] = stored[indices[i]];
        }
        const auto logits =
            executor
                ->forward({.samples = x.flat(), .rows = one.count, .seed = 1, .step = step - 1},
                          state.parameters, state.statistics, alone)
                .value();
        tensor::LossTotals totals;
        tensor::sparseCrossEntropy({logits.data(), one.count, classes}, y, {}, one.gradientScale,
                                   {executor->outputGradient().data(), one.count, classes}, totals);
        std::ignore = executor->backward(state.parameters, gradients, alone, {});
        optimizer.update(0, state.parameters.size(), gradients, state.parameters,
                         {std::span(state.moments[0]), std::span(state.moments[1])}, step);
    }
    return state;
}

double errorOf(const std::vector<float>& found, const std::vector<float>& expected) {
    return relativeError(std::span<const float>(found), std::span<const float>(expected));
}

Result<std::string> trainsAsTheCpu(const Sample& sample, std::int64_t steps, double most) {
    const auto trained = TRY(trainFresh(sample, Precision::Float32, true, steps));
    const Trained expected = trainOnCpu(sample, steps);
    return judge(std::max(errorOf(trained.parameters, expected.parameters),
                          errorOf(trained.statistics, expected.statistics)),
                 most);
}

/// Convolutions, normalisations, dropout, and every rule that changes weights.
Result<std::string> everyRuleAsTheCpu() {
    double worst = 0;
    for (const Kind kind : {Kind::Sgd, Kind::Adam, Kind::AdamW, Kind::RmsProp, Kind::Lion}) {
        Sample sample = Sample::convolutional(kBatch, kind);
        config::TrainingSpec& training = sample.job.training;
        training.momentum = 0.9;
        training.nesterov = true;
        training.weightDecay = 0.01;
        training.clipValue = 0.02;
        const auto trained = TRY(trainFresh(sample, Precision::Float32, true, 3));
        const Trained expected = trainOnCpu(sample, 3);
        worst = std::max({worst, errorOf(trained.parameters, expected.parameters),
                          errorOf(trained.statistics, expected.statistics)});
    }
    return judge(worst, 1e-3);
}

Result<std::string> scoresAsTheCpu() {
    const Sample sample = Sample::make(kBatch, config::OptimizerKind::Adam);
    auto engine = sample.engine(Precision::Float32, true, nullptr);
    if (!engine) return fail(std::move(engine).error());
    const auto device = tensor::openCpuDevice();
    const auto objective = TRY(train::Objective::make(sample.job.training, sample.data));
    auto evaluator = train::SplitEvaluator::make(*device, *sample.network, objective);
    if (!evaluator) return fail(std::move(evaluator).error());
    const auto expected = evaluator->score({sample.parameters}, *sample.data.test, 7, 250);
    const auto totals = (*engine)->score(2, 7, 250);
    if (!expected) return fail(expected.error());
    if (!totals) return fail(totals.error());
    if (totals->samples != expected->samples || std::abs(totals->correct - expected->correct) > 1)
        return fail(ErrorCode::Corrupt, "other samples are hit than on the CPU");
    return judge(std::abs(totals->lossSum - expected->lossSum) / expected->lossSum, 1e-5);
}

Result<std::string> anEmptyShareChangesNothingOfItsOwn() {
    const Sample sample = Sample::make(kBatch, config::OptimizerKind::Sgd);
    auto engine = sample.engine(Precision::Float32, true, nullptr);
    if (!engine) return fail(std::move(engine).error());
    const tensor::EngineStep empty{.gradientScale = 1.0F};
    if (auto sent = (*engine)->enqueue({&empty, 1}); !sent) return fail(std::move(sent).error());
    const auto figures = TRY((*engine)->collect(kTimeout));
    std::vector<float> after(sample.parameters.size());
    if (auto got = (*engine)->download(after, {}, {}); !got) return fail(std::move(got).error());
    if (figures.front().all.samples != 0 || !sameBits(after, sample.parameters))
        return fail(ErrorCode::Corrupt, "a step without samples changed weights");
    return std::string("no samples, no change");
}

/// Behind a loss that is not finite no step is applied, and a stop ends with its own step.
Result<std::string> whatEndsARun() {
    Sample sample = Sample::make(kBatch, config::OptimizerKind::Sgd);
    auto engine = sample.engine(Precision::Float32, true, nullptr);
    if (!engine) return fail(std::move(engine).error());
    (*engine)->requestStop();
    const auto stopped = TRY(train(sample, **engine, 3));
    const auto one = TRY(trainFresh(sample, Precision::Float32, true, 1));
    if (!(stopped.figures[0].stop > 0) || !sameBits(stopped.parameters, one.parameters))
        return fail(ErrorCode::Corrupt, "steps behind a stop changed weights");
    // Of the last layer: a fused ReLU may take NaN for 0.
    sample.parameters[sample.network->cuts().back()] = std::nanf("");
    const auto spoilt = TRY(trainFresh(sample, Precision::Float32, true, 3));
    if (!(spoilt.figures[0].notFinite > 0) || !sameBits(spoilt.parameters, sample.parameters))
        return fail(ErrorCode::Corrupt, "a step whose loss is not finite was applied");
    return std::string("a stop and a loss that is not finite");
}

Result<std::string> learns(Precision precision) {
    const Sample sample = Sample::make(50, config::OptimizerKind::Adam);
    auto engine = sample.engine(precision, true, nullptr);
    if (!engine) return fail(std::move(engine).error());
    const auto steps = sample.batches().stepsPerEpoch() * 6;
    std::ignore = TRY(train(sample, **engine, steps));
    const auto totals = TRY((*engine)->score(2, 0, sample.data.test->count));
    const double accuracy = totals.correct / totals.samples;
    std::string text = "accuracy " + std::to_string(accuracy) + " after " + std::to_string(steps) +
                       " steps; " + (*engine)->describe();
    if (accuracy < 0.6) return fail(ErrorCode::Corrupt, text);
    return text;
}

/// Once it is made, an engine needs the host's samples no more: the next batch is there before the
/// present one is done.
Result<std::string> batchesAreThereBeforeTheirSteps() {
    constexpr std::int64_t kSteps = 10;
    Sample sample = denseSample();
    const auto expected = TRY(trainFresh(sample, Precision::Float32, true, kSteps));
    const data::SharedBytes& generated = sample.data.train->inputs;
    const auto pixels =
        std::make_shared<std::vector<std::uint8_t>>(generated.begin(), generated.end());
    auto split = std::make_shared<data::Split>(*sample.data.train);
    split->inputs = {pixels, *pixels};
    sample.data.train = std::move(split);
    auto engine = TRY(sample.engine(Precision::Float32, true, nullptr));
    std::ranges::fill(*pixels, std::uint8_t{0});
    const auto trained = TRY(train(sample, *engine, kSteps));
    if (!sameBits(trained.parameters, expected.parameters))
        return fail(ErrorCode::Corrupt, "the steps read the host's samples");
    return std::string("10 steps train on what the host has no more");
}

}  // namespace

std::vector<SelfCheck> engineChecks() {
    return {
        {"gradients in float32 against float64",
         [] { return gradientsNear(Precision::Float32, 1e-5); }},
        {"gradients in tf32 against float64", [] { return gradientsNear(Precision::Tf32, 5e-3); }},
        {"gradients in bfloat16 against float64",
         [] { return gradientsNear(Precision::BFloat16, 5e-3); }},
        {"captured steps equal uncaptured ones, float32",
         [] { return capturedEqualsUncaptured(denseSample(), Precision::Float32); }},
        {"captured steps equal uncaptured ones, bfloat16",
         [] { return capturedEqualsUncaptured(denseSample(), Precision::BFloat16); }},
        {"captured steps equal uncaptured ones, convolutions",
         [] {
             return capturedEqualsUncaptured(Sample::convolutional(kBatch, Kind::AdamW),
                                             Precision::Float32);
         }},
        {"the same steps give the same bits again", [] { return runToRun(); }},
        {"updates from the same gradients as on the CPU", [] { return updatesAreTheCpus(); }},
        {"an epoch with Adam as on the CPU",
         [] { return trainsAsTheCpu(denseSample(), 11, 1e-4); }},
        {"an epoch with SGD as on the CPU",
         [] { return trainsAsTheCpu(Sample::make(kBatch, Kind::Sgd), 11, 1e-4); }},
        {"three steps of convolutions with every rule as on the CPU",
         [] { return everyRuleAsTheCpu(); }},
        {"scores as on the CPU", [] { return scoresAsTheCpu(); }},
        {"batches are on the device before their steps",
         [] { return batchesAreThereBeforeTheirSteps(); }},
        {"a replica without samples", [] { return anEmptyShareChangesNothingOfItsOwn(); }},
        {"what ends a run leaves the weights as they were", [] { return whatEndsARun(); }},
        {"training in float32 learns", [] { return learns(Precision::Float32); }},
        {"training in bfloat16 learns", [] { return learns(Precision::BFloat16); }},
    };
}

}  // namespace lockstep::app
