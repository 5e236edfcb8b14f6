// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/nn/network.h"
#include "tests/support/golden_file.h"

namespace lockstep::testing {

/// One replica of a small network with everything it needs, on the CPU.
struct NetworkRunner {
    std::unique_ptr<tensor::Device> device = tensor::openCpuDevice();
    std::unique_ptr<tensor::Stream> stream = device->makeStream().value();
    nn::Network network;
    nn::Workspace workspace;
    std::vector<float> parameters = std::vector<float>(network.parameterCount());
    std::vector<float> gradients = parameters;

    NetworkRunner(const config::ModelSpec& model, std::size_t features, std::size_t maxBatch)
        : network(nn::Network::make(model, features,
                                    static_cast<std::size_t>(model.layers.back().units))
                      .value()),
          workspace(nn::Workspace::make(*device, network, maxBatch).value()) {}

    /// Gradient of scale * (sum of losses) of a batch in `gradients`; its totals.
    tensor::LossTotals computeGradients(tensor::ConstMatrix x, std::span<const std::int32_t> labels,
                                        float scale) {
        network.forward(*stream, parameters, x, workspace);
        network.lossAndGradient(*stream, labels, scale, workspace);
        network.backward(*stream, parameters, gradients, workspace, {});
        return workspace.takeTotals();
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
        for (const nn::TensorInfo& tensor : network.tensors()) {
            const auto& values = golden.at("initial." + tensor.name).values;
            for (std::size_t i = 0; i < values.size(); ++i)
                parameters[tensor.offset + i] = static_cast<float>(values[i]);
        }
    }

    /// The largest difference between a flat buffer and the golden tensors "<prefix>.<name>".
    [[nodiscard]] double error(std::span<const float> flat, const std::string& prefix) const {
        double largest = 0;
        for (const nn::TensorInfo& tensor : network.tensors()) {
            const auto& expected = golden.at(prefix + "." + tensor.name);
            if (expected.shape != tensor.shape) return 1e9;
            for (std::size_t i = 0; i < expected.values.size(); ++i)
                largest = std::max(largest, std::abs(static_cast<double>(flat[tensor.offset + i]) -
                                                     expected.values[i]));
        }
        return largest;
    }
};

}  // namespace lockstep::testing
