// SPDX-License-Identifier: Apache-2.0
#include "app/self_test/sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "core/base/try.h"
#include "core/collective/communicator.h"
#include "core/data/digits.h"
#include "core/model/description/read_description.h"
#include "core/optim/optimizer.h"
#include "core/program/job_network.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::app {

namespace {

constexpr std::uint32_t kTrain = 1000;
constexpr std::uint32_t kOther = 300;
constexpr int kClasses = 10;
constexpr std::uint64_t kSeed = 1;  // of dropout

std::shared_ptr<const data::Split> digitsFrom(std::uint32_t first, std::uint32_t count) {
    return std::make_shared<const data::Split>(data::generateDigits(first, count, 2));
}

/// The nearest float with fewer bits (ties to even), or the next towards zero.
double rounded(double value, Rounding rounding) {
    if (rounding == Rounding::None) return value;
    const unsigned dropped = rounding == Rounding::BFloat16 ? 16 : 13;
    auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (rounding != Rounding::Tf32TowardsZero)
        bits += (1U << (dropped - 1)) - 1 + (bits >> dropped & 1U);
    return static_cast<double>(std::bit_cast<float>(bits >> dropped << dropped));
}

void roundAll(std::vector<double>& values, Rounding rounding) {
    for (double& value : values)
        value = rounded(value, rounding);
}

/// One layer of the reference for one sample.
struct DenseDouble {
    std::size_t inputs;
    std::size_t units;
    bool relu;
    std::vector<double> weight;  ///< Rounded.
    std::span<const float> bias;
    std::size_t weightAt;
    std::size_t biasAt;

    [[nodiscard]] std::vector<double> forward(const std::vector<double>& x) const {
        std::vector<double> y(units);
        for (std::size_t u = 0; u < units; ++u) {
            double sum = static_cast<double>(bias[u]);
            for (std::size_t i = 0; i < inputs; ++i)
                sum += weight[u * inputs + i] * x[i];
            y[u] = relu ? std::max(sum, 0.0) : sum;
        }
        return y;
    }
    /// Adds to `gradients`; gives the gradient of x.
    std::vector<double> backward(const std::vector<double>& x, const std::vector<double>& dy,
                                 std::vector<double>& gradients) const {
        std::vector<double> dx(inputs);
        for (std::size_t u = 0; u < units; ++u) {
            gradients[biasAt + u] += dy[u];
            for (std::size_t i = 0; i < inputs; ++i) {
                gradients[weightAt + u * inputs + i] += dy[u] * x[i];
                dx[i] += dy[u] * weight[u * inputs + i];
            }
        }
        return dx;
    }
};

std::vector<DenseDouble> layersOf(const Sample& sample, Rounding rounding) {
    const std::span<const float> flat(sample.parameters);
    std::vector<DenseDouble> layers;
    const auto& tensors = sample.network->tensors();
    for (std::size_t i = 0; i < tensors.size(); i += 2) {
        const program::PlacedTensor& weight = tensors[i];
        const program::PlacedTensor& bias = tensors[i + 1];
        const auto weights = weight.in(flat);
        const bool isLast = i + 2 == tensors.size();
        layers.push_back({static_cast<std::size_t>(weight.shape[1]),
                          static_cast<std::size_t>(weight.shape[0]), !isLast,
                          std::vector<double>(weights.begin(), weights.end()),
                          flat.subspan(bias.offset), weight.offset, bias.offset});
        roundAll(layers.back().weight, rounding);
    }
    return layers;
}

/// The loss of one sample's logits, which become softmax - onehot.
double lossOf(std::vector<double>& logits, std::size_t label) {
    const double largest = *std::ranges::max_element(logits);
    double sum = 0;
    for (const double value : logits)
        sum += std::exp(value - largest);
    const double loss = std::log(sum) + largest - logits[label];
    for (double& value : logits)
        value = std::exp(value - largest) / sum;
    logits[label] -= 1;
    return loss;
}

template <typename A, typename B>
double relativeErrorOf(std::span<const A> a, std::span<const B> b) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double one = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        difference += one * one;
        size += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

}  // namespace

config::ModelSpec describedModel(const std::string& text) {
    return {.isDescribed = true,
            .description = model::readDescription(config::parseToml(text).value()).description};
}

Sample Sample::make(int batch, config::OptimizerKind optimizer) {
    Sample sample;
    sample.job.training.globalBatchSize = batch;
    sample.job.training.optimizer = optimizer;
    sample.job.training.seed = 1;
    for (const int units : {256, 100})
        sample.job.model.layers.push_back({.units = units, .activation = config::Activation::Relu});
    sample.job.model.layers.push_back({.units = kClasses});
    sample.complete();
    return sample;
}

Sample Sample::convolutional(int batch, config::OptimizerKind optimizer) {
    Sample sample;
    sample.job.training.globalBatchSize = batch;
    sample.job.training.optimizer = optimizer;
    sample.job.training.seed = 1;
    sample.job.model = describedModel(R"(layers = [
        { type = "conv2d", filters = 8, kernel_size = 3, strides = 2, use_bias = false },
        { type = "batch_normalization", momentum = 0.8, activation = "relu" },
        { type = "max_pooling2d" },
        { type = "depthwise_conv2d", kernel_size = 3, padding = "same", activation = "relu" },
        { type = "flatten" },
        { type = "dropout", rate = 0.25 },
        { type = "dense", units = "classes" },
    ])");
    sample.complete();
    return sample;
}

void Sample::complete() {
    Sample& sample = *this;
    sample.data.train = digitsFrom(0, kTrain);
    sample.data.validation = digitsFrom(30'000, kOther);
    sample.data.test = digitsFrom(60'000, kOther);
    sample.data.facts = {.input = sample.data.train->shape, .classes = kClasses};
    sample.network = std::make_unique<program::Network>(
        program::makeNetwork(sample.job.model, sample.data.facts).value());
    sample.parameters.resize(sample.network->parameterCount());
    sample.statistics.resize(sample.network->statisticsCount());
    sample.network->initialise(sample.parameters, 1, sample.statistics);
}

program::EnginePrograms Sample::programs(config::Precision precision, bool captured) const {
    config::TrainingSpec training = job.training;
    training.precision = precision;
    auto made = train::enginePrograms(
        training, *network, data,
        collective::planBuckets(network->cuts(), network->parameterCount(), 64 << 10),
        batches().largestShare(), kSeed);
    made.steps.captured = captured;
    return made;
}

Result<std::unique_ptr<tensor::StepEngine>> Sample::engine(config::Precision precision,
                                                           bool captured,
                                                           tensor::DeviceReducer* reducer) const {
    auto engine =
        TRY(program::makeCudaEngine(programs(precision, captured), {}, {.reducer = reducer}));
    TRY(engine->upload(parameters, statistics, {}));
    TRY(engine->setOrder(batches().epochOrder(0)));
    return engine;
}

data::BatchPlan Sample::batches() const {
    return data::BatchPlan::make(kTrain, static_cast<std::uint32_t>(job.training.globalBatchSize),
                                 1, 1)
        .value();
}

tensor::EngineStep Sample::stepAt(std::int64_t step) const {
    const data::SampleRange range = batches().globalBatch(step - 1);
    const config::TrainingSpec& t = job.training;
    return {.first = range.first,
            .count = range.count,
            .allCount = range.count,
            .gradientScale = 1.0F / static_cast<float>(range.count),
            .adamStepSize =
                static_cast<float>(optim::adamStepSize(t.learningRate, t.beta1, t.beta2, step)),
            .learningRate = static_cast<float>(t.learningRate),
            .decay = static_cast<float>(t.learningRate * t.weightDecay),
            .index = static_cast<std::uint64_t>(step - 1)};
}

Reference referenceGradients(const Sample& sample, std::span<const std::uint32_t> samples,
                             Rounding rounding) {
    const std::vector<DenseDouble> layers = layersOf(sample, rounding);
    Reference reference{std::vector<double>(sample.parameters.size()), 0};
    for (const std::uint32_t index : samples) {
        std::vector<std::vector<double>> values(1);
        for (const std::uint8_t pixel : sample.data.train->input(index))
            values[0].push_back(pixel / 255.0);
        for (const DenseDouble& layer : layers) {
            roundAll(values.back(), rounding);
            values.push_back(layer.forward(values.back()));
        }
        std::vector<double> delta = values.back();
        reference.lossSum += lossOf(delta, sample.data.train->label(index));
        for (double& value : delta)
            value /= static_cast<double>(samples.size());
        for (std::size_t i = layers.size(); i-- > 0;) {
            roundAll(delta, rounding);
            delta = layers[i].backward(values[i], delta, reference.gradients);
            if (i == 0 || !layers[i - 1].relu) continue;
            for (std::size_t c = 0; c < delta.size(); ++c)
                if (values[i][c] <= 0) delta[c] = 0;
        }
    }
    return reference;
}

double relativeError(std::span<const float> a, std::span<const double> b) {
    return relativeErrorOf(a, b);
}

double relativeError(std::span<const float> a, std::span<const float> b) {
    return relativeErrorOf(a, b);
}

Result<std::string> judge(double error, double most) {
    char text[96];
    if (error <= most) {
        std::snprintf(text, sizeof text, "relative error %.1e", error);
        return std::string(text);
    }
    std::snprintf(text, sizeof text, "relative error %.2e, more than %.0e", error, most);
    return fail(ErrorCode::Corrupt, text);
}

}  // namespace lockstep::app
