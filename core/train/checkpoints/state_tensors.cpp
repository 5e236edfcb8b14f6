// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/state_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "core/base/plural.h"
#include "core/base/try.h"

namespace lockstep::train {

namespace {

constexpr std::string_view kMomentumBuffer = ".momentum_buffer";
constexpr std::string_view kTrained = "trained";

using program::PlacedTensor;

Result<void> restore(const PlacedTensor& tensor, const std::vector<checkpoint::Tensor>& saved,
                     const std::string& suffix, std::span<float> values) {
    const std::string name = tensor.name + suffix;
    const auto found =
        std::find_if(saved.begin(), saved.end(),
                     [&name](const checkpoint::Tensor& one) { return one.name == name; });
    if (found == saved.end())
        return fail(ErrorCode::BadInput, fmt::format("the checkpoint has no tensor {}", name),
                    "Resume with the model and optimizer that wrote it.");
    TRY(checkShape(name, found->shape, tensor.shape));
    std::ranges::copy(found->values, values.begin());
    return {};
}

}  // namespace

std::vector<checkpoint::TensorRef> modelTensors(const program::Network& network,
                                                std::span<const float> parameters,
                                                std::span<const float> statistics) {
    std::vector<checkpoint::TensorRef> tensors;
    for (const PlacedTensor& tensor : network.tensors())
        tensors.push_back(
            {tensor.name, tensor.shape, tensor.in(tensor.isStatistic() ? statistics : parameters)});
    return tensors;
}

std::vector<checkpoint::TensorRef> optimizerTensors(const program::Network& network,
                                                    std::span<const std::span<float>> moments,
                                                    std::span<const std::string> names) {
    std::vector<checkpoint::TensorRef> tensors;
    for (std::size_t i = 0; i < names.size(); ++i)
        for (const PlacedTensor& tensor : network.tensors())
            if (!tensor.isStatistic())
                tensors.push_back(
                    {tensor.name + "." + names[i], tensor.shape, tensor.in(moments[i])});
    return tensors;
}

SavedBuffers savedBuffers(const optim::Optimizer& optimizer, const FlatState& state) {
    SavedBuffers saved{state.parameters, state.moments, optimizer.momentNames()};
    if (const int index = optimizer.averageIndex(); index >= 0) {
        std::swap(saved.model, saved.state[static_cast<std::size_t>(index)]);
        saved.names[static_cast<std::size_t>(index)] = kTrained;
    }
    return saved;
}

Result<void> checkShape(const std::string& name, const std::vector<std::int64_t>& saved,
                        const std::vector<std::int64_t>& wanted) {
    if (saved == wanted) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("tensor {} of the checkpoint is [{}], the job's is [{}]", name,
                            fmt::join(saved, ", "), fmt::join(wanted, ", ")),
                "Resume with the model that wrote it.");
}

Result<void> checkTensorCount(const program::Network& network, std::size_t saved) {
    if (saved == network.tensors().size()) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("the checkpoint has {}, the job's model has {}",
                            counted(saved, "tensor"), network.tensors().size()),
                "Resume with the model that wrote it.");
}

Result<void> restoreModel(const program::Network& network,
                          const checkpoint::LoadedCheckpoint& checkpoint,
                          std::span<float> parameters, std::span<float> statistics) {
    TRY(checkTensorCount(network, checkpoint.model.size()));
    for (const PlacedTensor& tensor : network.tensors())
        TRY(restore(tensor, checkpoint.model, "",
                    tensor.in(tensor.isStatistic() ? statistics : parameters)));
    return {};
}

Result<void> restoreTrained(const program::Network& network,
                            const checkpoint::LoadedCheckpoint& checkpoint,
                            std::span<float> parameters, std::span<float> statistics) {
    TRY(restoreModel(network, checkpoint, parameters, statistics));
    if (!hasAverage(checkpoint)) return {};
    for (const PlacedTensor& tensor : network.tensors())
        if (!tensor.isStatistic())
            TRY(restore(tensor, checkpoint.optimizer, fmt::format(".{}", kTrained),
                        tensor.in(parameters)));
    return {};
}

Result<void> restoreOptimizer(const program::Network& network,
                              const checkpoint::LoadedCheckpoint& checkpoint,
                              std::span<const std::span<float>> moments,
                              std::span<const std::string> names) {
    const bool averageBegins = !hasAverage(checkpoint);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool isModel = averageBegins && names[i] == kTrained;
        for (const PlacedTensor& tensor : network.tensors())
            if (!tensor.isStatistic())
                TRY(restore(tensor, isModel ? checkpoint.model : checkpoint.optimizer,
                            isModel ? "" : "." + names[i], tensor.in(moments[i])));
    }
    return {};
}

bool hasAverage(const checkpoint::LoadedCheckpoint& checkpoint) {
    return std::ranges::any_of(checkpoint.optimizer, [](const checkpoint::Tensor& tensor) {
        return tensor.name.ends_with(fmt::format(".{}", kTrained));
    });
}

void modernise(checkpoint::LoadedCheckpoint& checkpoint, double learningRate) {
    if (checkpoint.format > 1) return;
    const auto rate = static_cast<float>(learningRate);
    for (checkpoint::Tensor& tensor : checkpoint.optimizer) {
        if (!tensor.name.ends_with(kMomentumBuffer)) continue;
        for (float& value : tensor.values)
            value = value == 0 ? 0 : -value / rate;
    }
    checkpoint.format = checkpoint::kCheckpointFormat;
}

}  // namespace lockstep::train
