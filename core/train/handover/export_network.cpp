// SPDX-License-Identifier: Apache-2.0
#include "core/train/handover/export_network.h"

#include <deque>
#include <map>

#include "core/base/try.h"
#include "core/checkpoint/safetensors.h"
#include "core/config/job/task.h"
#include "core/data/sample_facts.h"
#include "core/exchange/onnx/encode_onnx.h"
#include "core/exchange/torch_entries.h"
#include "core/train/checkpoints/state_tensors.h"

namespace lockstep::train {

namespace {

using exchange::TorchEntry;

template <typename Number>
std::string_view bytesOf(std::span<const Number> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// What the network's output is, for who reads the file.
std::string outputText(const SavedNetwork& saved) {
    using Output = config::Task::Output;
    switch (config::taskOf(saved.job.training.loss, saved.samples.facts).task.output) {
        case Output::Logits:
            return "logits, before softmax";
        case Output::BinaryLogits:
            return "logits, before sigmoid";
        case Output::Numbers:
            return "numbers; divided by target_scale, where there is one, they have their units";
    }
    return {};
}

Result<checkpoint::SafetensorMetadata> metadataOf(const SavedNetwork& saved) {
    auto samples = TRY(data::encodeSampleFacts(saved.samples));
    return checkpoint::SafetensorMetadata{{"lockstep.job", saved.job.name},
                                          {"lockstep.step", std::to_string(saved.state.step)},
                                          {"lockstep.build", saved.state.buildId},
                                          {"lockstep.output", outputText(saved)},
                                          {"lockstep.samples", std::move(samples)}};
}

std::vector<checkpoint::TensorRef> tensorsOf(const SavedNetwork& saved) {
    return modelTensors(saved.network, saved.parameters, saved.statistics);
}

}  // namespace

Result<std::string> exportSafetensors(const SavedNetwork& saved) {
    const auto tensors = tensorsOf(saved);
    std::vector<checkpoint::SafetensorView> views;
    for (const checkpoint::TensorRef& tensor : tensors)
        views.push_back(
            {tensor.name, checkpoint::DType::F32, tensor.shape, bytesOf(tensor.values)});
    const std::int64_t step = saved.state.step;
    std::deque<std::vector<float>> constants;
    for (const TorchEntry& entry : exchange::torchEntries(saved.network.graph())) {
        if (entry.kind == TorchEntry::Kind::BatchCount) {
            views.push_back(
                {entry.name, checkpoint::DType::I64, entry.shape, bytesOf(std::span(&step, 1))});
            continue;
        }
        std::span<const float> values;
        if (entry.kind == TorchEntry::Kind::Shared)
            values = tensors[static_cast<std::size_t>(entry.tensor)].values;
        else
            values = constants.emplace_back(
                static_cast<std::size_t>(model::elementCount(entry.shape)), entry.number);
        views.push_back({entry.name, checkpoint::DType::F32, entry.shape, bytesOf(values)});
    }
    auto metadata = TRY(metadataOf(saved));
    metadata["format"] = "pt";  // what PyTorch's own files say, and some readers ask for
    return checkpoint::encodeSafetensors(std::move(views), metadata);
}

Result<std::string> exportOnnx(const SavedNetwork& saved) {
    exchange::OnnxDescription description{.name = saved.job.name, .version = saved.state.buildId};
    for (const model::Column& column : saved.samples.facts.columns)
        description.columns.push_back(column.name);
    const auto metadata = TRY(metadataOf(saved));
    for (const auto& [key, value] : metadata)
        description.metadata.emplace_back(key, value);
    return exchange::encodeOnnx(saved.network.graph(), tensorsOf(saved), description);
}

}  // namespace lockstep::train
