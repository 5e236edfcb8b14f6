// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "app/self_test/check.h"
#include "app/self_test/sample.h"
#include "core/base/rng.h"
#include "core/base/try.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/job_network.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::app {

namespace {

constexpr std::int64_t kRows = 6;

const char* const kImages = R"(layers = [
    { type = "conv2d", filters = 8, kernel_size = 3, padding = "same", name = "stem" },
    { type = "conv2d", filters = 8, kernel_size = 3, groups = 4, padding = "same" },
    { type = "group_normalization", groups = 4, activation = "silu", name = "normed" },
    { type = "add", inputs = ["stem", "normed"] },
    { type = "average_pooling2d" },
    { type = "zero_padding2d" },
    { type = "conv2d", filters = 12, kernel_size = 3, dilation_rate = 2, activation = "tanh" },
    { type = "batch_normalization", activation = "relu" },
    { type = "conv2d_transpose", filters = 6, kernel_size = 3, strides = 2, activation = "relu" },
    { type = "global_average_pooling2d" },
    { type = "dropout", rate = 0.2 },
    { type = "dense", units = "classes" },
])";

const char* const kText = R"(layers = [
    { type = "embedding", input_dim = 11, output_dim = 16 },
    { type = "position_embedding", sequence_length = 24 },
    { residual = [
        { type = "layer_normalization" },
        { type = "multi_head_attention", num_heads = 2, causal = true, dropout = 0.1 },
    ] },
    { residual = [
        { type = "rms_normalization" },
        { type = "dense", units = 32, activation = "gelu" },
        { type = "dense", units = 16 },
    ] },
    { type = "lstm", units = 12, return_sequences = true, dropout = 0.1 },
    { type = "gru", units = 8, return_sequences = true },
    { type = "dense", units = 11 },
])";

/// What a program gives for a batch: outputs and gradients.
struct Computed {
    std::vector<float> outputs;
    std::vector<float> gradients;
    std::vector<float> statistics;
};

Result<Computed> compute(const program::Network& network, std::span<const float> samples,
                         program::Executor& executor) {
    program::NoReplicaSum alone;
    std::vector<float> parameters(network.parameterCount());
    Computed computed{.outputs = {},
                      .gradients = std::vector<float>(network.parameterCount()),
                      .statistics = std::vector<float>(network.statisticsCount())};
    network.initialise(parameters, 1, computed.statistics);
    const auto outputs = TRY(
        executor.forward({.samples = samples, .rows = kRows, .seed = 7, .step = 3, .firstPlace = 5},
                         parameters, computed.statistics, alone));
    computed.outputs.assign(outputs.begin(), outputs.end());
    CounterRng rng(2);
    for (float& value : executor.outputGradient())
        value = rng.nextFloat(-1, 1);
    TRY(executor.backward(parameters, computed.gradients, alone, {}));
    return computed;
}

/// `workBytes` 1: everything that can be cut is computed sample by sample.
Result<std::string> networkAsTheCpu(const char* text, const model::DataFacts& facts,
                                    config::Precision precision, std::size_t workBytes,
                                    double most) {
    const auto made = program::makeNetwork(describedModel(text), facts);
    if (!made) return fail(ErrorCode::Internal, "the network of this check is not one");
    const program::Network& network = *made;
    CounterRng rng(1);
    std::vector<float> samples(static_cast<std::size_t>(kRows) * network.inputFeatures());
    for (float& value : samples)
        value =
            facts.vocabulary > 0
                ? static_cast<float>(rng.nextU32() % static_cast<std::uint32_t>(facts.vocabulary))
                : rng.nextFloat(0, 1);
    const auto program = program::compile(network.graph(), kRows, program::Program::Mode::Training);
    const auto device = tensor::openCpuDevice();
    const auto onCpu = TRY(program::CpuExecutor::make(*device, program));
    const auto onGpu = TRY(program::makeCudaExecutor(
        program, {.precision = train::precisionOf(precision), .workBytes = workBytes}));
    const auto expected = TRY(compute(network, samples, *onCpu));
    const auto found = TRY(compute(network, samples, *onGpu));
    const auto error = [](const std::vector<float>& a, const std::vector<float>& b) {
        return relativeError(std::span<const float>(a), std::span<const float>(b));
    };
    return judge(std::max({error(found.outputs, expected.outputs),
                           error(found.gradients, expected.gradients),
                           error(found.statistics, expected.statistics)}),
                 most);
}

}  // namespace

std::vector<SelfCheck> programChecks() {
    using config::Precision;
    constexpr std::size_t kWork = std::size_t{64} << 20;
    const model::DataFacts images{.input = {16, 16, 3}, .columns = {}, .classes = 5};
    const model::DataFacts text{.input = {24}, .columns = {}, .vocabulary = 11};
    return {
        {"a network of images as on the CPU",
         [=] { return networkAsTheCpu(kImages, images, Precision::Float32, kWork, 1e-4); }},
        {"a network of images in parts as on the CPU",
         [=] { return networkAsTheCpu(kImages, images, Precision::Float32, 1, 1e-4); }},
        {"a network of images in tf32 near the CPU",
         [=] { return networkAsTheCpu(kImages, images, Precision::Tf32, kWork, 3e-2); }},
        {"a network of images in bfloat16 near the CPU",
         [=] { return networkAsTheCpu(kImages, images, Precision::BFloat16, kWork, 1e-1); }},
        {"a network of text as on the CPU",
         [=] { return networkAsTheCpu(kText, text, Precision::Float32, kWork, 1e-4); }},
        {"a network of text in parts as on the CPU",
         [=] { return networkAsTheCpu(kText, text, Precision::Float32, 1, 1e-4); }},
    };
}

}  // namespace lockstep::app
