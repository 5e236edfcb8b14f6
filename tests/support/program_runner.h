// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/tensor/cpu/layers/losses.h"
#include "tests/support/golden_file.h"
#include "tests/support/graph_sketch.h"
#include "tests/support/graph_values.h"

namespace lockstep::testing {

/// One replica of a graph with everything it needs, on the CPU. Sums are its own unless `sum` is
/// set. Errors end the test.
struct ProgramRunner {
    std::unique_ptr<tensor::Device> device = tensor::openCpuDevice();
    std::unique_ptr<program::CpuExecutor> executor;
    std::vector<float> parameters;
    std::vector<float> statistics;
    std::vector<float> gradients;
    program::NoReplicaSum alone;
    program::ReplicaSum* sum = &alone;

    ProgramRunner(const model::Graph& graph, std::int64_t maxBatch,
                  program::Program::Mode mode = program::Program::Mode::Training)
        : ProgramRunner(program::compile(graph, maxBatch, mode)) {}
    explicit ProgramRunner(program::Program program)
        : executor(program::CpuExecutor::make(*device, std::move(program)).value()),
          parameters(this->program().layout.parameters),
          statistics(this->program().layout.statistics),
          gradients(parameters.size()) {}

    [[nodiscard]] const program::Program& program() const { return executor->program(); }
    [[nodiscard]] const model::Graph& graph() const { return program().graph; }

    void take(const GraphValues& values) {
        parameters = values.parameters;
        statistics = values.statistics;
    }
    std::span<const float> forward(const program::StepBatch& batch) {
        return executor->forward(batch, parameters, statistics, *sum).value();
    }
    /// With dL/doutput as given: rows x the output's size.
    void backward(std::span<const float> outputGradient,
                  const std::function<void(std::size_t)>& onComplete = {}) {
        std::ranges::copy(outputGradient, executor->outputGradient().begin());
        LS_CHECK(executor->backward(parameters, gradients, *sum, onComplete).has_value(),
                 "nothing of the test's fails");
    }
    /// Gradient of scale * (sum of losses) of a batch in `gradients`; its totals.
    tensor::LossTotals computeGradients(tensor::ConstMatrix x, std::span<const std::int32_t> labels,
                                        float scale) {
        const auto logits =
            forward({.samples = x.flat(), .rows = static_cast<std::int64_t>(x.rows)});
        const auto classes = static_cast<std::size_t>(model::elementCount(graph().output()));
        tensor::LossTotals totals;
        tensor::sparseCrossEntropy({logits.data(), x.rows, classes}, labels, {}, scale,
                                   {executor->outputGradient().data(), x.rows, classes}, totals);
        LS_CHECK(executor->backward(parameters, gradients, *sum, {}).has_value(),
                 "nothing of the test's fails");
        return totals;
    }
    /// A tensor's part of the flat buffer of its role.
    [[nodiscard]] std::span<float> view(std::size_t tensor, std::vector<float>& flat) const {
        return std::span(flat).subspan(program().layout.offsets[tensor],
                                       static_cast<std::size_t>(graph().tensors[tensor].size()));
    }
};

/// Dense layers of so many units with ReLU between them.
inline model::Graph denseStack(std::int64_t features, const std::vector<std::int64_t>& units) {
    GraphSketch sketch;
    int last = sketch.input({features});
    for (std::size_t i = 0; i < units.size(); ++i) {
        last = sketch.dense(last, units[i]);
        if (i + 1 < units.size()) last = sketch.activation(last, model::Function::Relu);
    }
    return sketch.take();
}

/// The small network of tests/golden/dense_network.txt: its inputs and initial parameters.
struct GoldenProgram : ProgramRunner {
    GoldenFile golden{LOCKSTEP_SOURCE_DIR "/tests/golden/dense_network.txt"};
    std::vector<float> inputs;
    std::vector<std::int32_t> labels;
    tensor::ConstMatrix x;

    GoldenProgram() : ProgramRunner(denseStack(13, {17, 9, 5}), 7) {
        for (const double value : golden.at("x").values)
            inputs.push_back(static_cast<float>(value));
        for (const double value : golden.at("labels").values)
            labels.push_back(static_cast<std::int32_t>(value));
        x = {inputs.data(), labels.size(), 13};
        for (std::size_t i = 0; i < graph().tensors.size(); ++i)
            std::ranges::transform(golden.at("initial." + graph().tensors[i].name).values,
                                   view(i, parameters).begin(),
                                   [](double value) { return static_cast<float>(value); });
    }

    /// The largest difference between a flat buffer and the golden tensors "<prefix>.<name>".
    [[nodiscard]] double error(std::vector<float>& flat, const std::string& prefix) const {
        double largest = 0;
        for (std::size_t i = 0; i < graph().tensors.size(); ++i) {
            const model::Tensor& tensor = graph().tensors[i];
            const auto& expected = golden.at(prefix + "." + tensor.name);
            if (!std::ranges::equal(expected.shape, tensor.shape, [](auto a, auto b) {
                    return a == static_cast<std::size_t>(b);
                }))
                return 1e9;
            const auto found = view(i, flat);
            for (std::size_t k = 0; k < found.size(); ++k)
                largest =
                    std::max(largest, std::abs(static_cast<double>(found[k]) - expected.values[k]));
        }
        return largest;
    }
};

}  // namespace lockstep::testing
