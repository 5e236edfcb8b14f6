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

/// PyTorch's names of the optimisers' states, by how many there are.
std::vector<std::string> momentNames(std::size_t moments) {
    if (moments == 1) return {std::string(kMomentumBuffer)};
    if (moments == 2) return {".exp_avg", ".exp_avg_sq"};
    return {};
}

std::vector<std::int64_t> shapeOf(const nn::TensorInfo& info) {
    return {info.shape.begin(), info.shape.end()};
}

void append(std::vector<checkpoint::TensorRef>& tensors, const nn::Network& network,
            std::span<const float> flat, const std::string& suffix) {
    for (const nn::TensorInfo& info : network.tensors())
        tensors.push_back(
            {info.name + suffix, shapeOf(info), flat.subspan(info.offset, info.size())});
}

Result<void> restore(const nn::Network& network, const std::vector<checkpoint::Tensor>& tensors,
                     const std::string& suffix, std::span<float> flat) {
    for (const nn::TensorInfo& info : network.tensors()) {
        const std::string name = info.name + suffix;
        const auto found =
            std::find_if(tensors.begin(), tensors.end(),
                         [&name](const checkpoint::Tensor& tensor) { return tensor.name == name; });
        if (found == tensors.end())
            return fail(ErrorCode::BadInput, fmt::format("the checkpoint has no tensor {}", name),
                        "Resume with the model and optimizer that wrote it.");
        if (found->shape != shapeOf(info))
            return fail(ErrorCode::BadInput,
                        fmt::format("tensor {} of the checkpoint is [{}], the job's is [{}]", name,
                                    fmt::join(found->shape, ", "), fmt::join(info.shape, ", ")),
                        "Resume with the model that wrote it.");
        std::copy(found->values.begin(), found->values.end(),
                  flat.begin() + static_cast<std::ptrdiff_t>(info.offset));
    }
    return {};
}

}  // namespace

std::vector<checkpoint::TensorRef> modelTensors(const nn::Network& network,
                                                std::span<const float> parameters) {
    std::vector<checkpoint::TensorRef> tensors;
    append(tensors, network, parameters, "");
    return tensors;
}

std::vector<checkpoint::TensorRef> optimizerTensors(const nn::Network& network,
                                                    std::span<const std::span<float>> moments) {
    std::vector<checkpoint::TensorRef> tensors;
    const std::vector<std::string> names = momentNames(moments.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        append(tensors, network, moments[i], names[i]);
    return tensors;
}

Result<void> restoreModel(const nn::Network& network,
                          const checkpoint::LoadedCheckpoint& checkpoint,
                          std::span<float> parameters) {
    if (checkpoint.model.size() != network.tensors().size())
        return fail(
            ErrorCode::BadInput,
            fmt::format("the checkpoint has {}, the job's model has {}",
                        counted(checkpoint.model.size(), "tensor"), network.tensors().size()),
            "Resume with the model that wrote it.");
    return restore(network, checkpoint.model, "", parameters);
}

Result<void> restoreOptimizer(const nn::Network& network,
                              const checkpoint::LoadedCheckpoint& checkpoint,
                              std::span<const std::span<float>> moments) {
    const std::vector<std::string> names = momentNames(moments.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        TRY(restore(network, checkpoint.optimizer, names[i], moments[i]));
    }
    return {};
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
