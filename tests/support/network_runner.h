// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/job_network.h"
#include "core/tensor/cpu/layers/losses.h"
#include "tests/support/golden_file.h"

namespace lockstep::testing {

/// One replica of a small network with everything it needs, on the CPU.
struct NetworkRunner {
    std::unique_ptr<tensor::Device> device = tensor::openCpuDevice();
    program::Network network;
    std::unique_ptr<program::CpuExecutor> executor;
    program::NoReplicaSum alone;
    std::vector<float> parameters = std::vector<float>(network.parameterCount());
    std::vector<float> gradients = parameters;

    NetworkRunner(const config::ModelSpec& model, std::int64_t features, std::int64_t maxBatch)
        : network(
              program::makeNetwork(
                  model, {.input = {features}, .columns = {}, .classes = model.layers.back().units})
                  .value()),
          executor(program::CpuExecutor::make(*device,
                                              program::compile(network.graph(), maxBatch,
                                                               program::Program::Mode::Training))
                       .value()) {}

    /// Gradient of scale * (sum of losses) of a batch in `gradients`; its totals.
    tensor::LossTotals computeGradients(tensor::ConstMatrix x, std::span<const std::int32_t> labels,
                                        float scale) {
        const auto logits =
            executor
                ->forward({.samples = x.flat(), .rows = static_cast<std::int64_t>(x.rows)},
                          parameters, {}, alone)
                .value();
        const std::size_t classes = network.outputFeatures();
        tensor::LossTotals totals;
        tensor::sparseCrossEntropy({logits.data(), x.rows, classes}, labels, {}, scale,
                                   {executor->outputGradient().data(), x.rows, classes}, totals);
        const auto done = executor->backward(parameters, gradients, alone, {});
        return done ? totals : tensor::LossTotals{};
    }
};

/// The small network of tests/golden/dense_network.txt: its inputs and initial parameters.
struct GoldenNetwork : NetworkRunner {
    GoldenFile golden{LOCKSTEP_SOURCE_DIR "/tests/golden/dense_network.txt"};
    std::vector<float> inputs;
    std::vector<std::int32_t> labels;
    tensor::ConstMatrix x;

    GoldenNetwork()
        : NetworkRunner({.layers = {{.units = 17, .activation = config::Activation::Relu},
                                    {.units = 9, .activation = config::Activation::Relu},
                                    {.units = 5}}},
                        13, 7) {
        for (const double value : golden.at("x").values)
            inputs.push_back(static_cast<float>(value));
        for (const double value : golden.at("labels").values)
            labels.push_back(static_cast<std::int32_t>(value));
        x = {inputs.data(), labels.size(), 13};
        for (const program::PlacedTensor& tensor : network.tensors()) {
            const auto& values = golden.at("initial." + tensor.name).values;
            for (std::size_t i = 0; i < values.size(); ++i)
                parameters[tensor.offset + i] = static_cast<float>(values[i]);
        }
    }

    /// The largest difference between a flat buffer and the golden tensors "<prefix>.<name>".
    [[nodiscard]] double error(std::span<const float> flat, const std::string& prefix) const {
        double largest = 0;
        for (const program::PlacedTensor& tensor : network.tensors()) {
            const auto& expected = golden.at(prefix + "." + tensor.name);
            if (!std::ranges::equal(expected.shape, tensor.shape,
                                    std::cmp_equal<std::size_t, std::int64_t>))
                return 1e9;
            for (std::size_t i = 0; i < expected.values.size(); ++i)
                largest = std::max(largest, std::abs(static_cast<double>(flat[tensor.offset + i]) -
                                                     expected.values[i]));
        }
        return largest;
    }
};

}  // namespace lockstep::testing
