// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/shard_tensors.h"

#include <string>
#include <vector>

#include "core/base/check.h"

namespace lockstep::train {

namespace {

using program::PlacedTensor;

/// The pieces of one tensor of the part. What is cut is cut into equal pieces, so that the size of
/// the whole tensor follows from that of the part.
void addPieces(const PlacedTensor& tensor, const model::TensorShard& cut, const std::string& suffix,
               std::span<const float> values, std::vector<checkpoint::TensorRef>& tensors) {
    const std::string name = tensor.name + suffix;
    std::vector<std::int64_t> offsets(tensor.shape.size());
    if (cut.isWhole()) {
        if (cut.index == 0) tensors.push_back({name, tensor.shape, values, offsets, 1});
        return;
    }
    LS_CHECK(cut.segments == 1 || cut.axis == 0, "stretches lie one behind the other");
    const auto axis = static_cast<std::size_t>(cut.axis);
    std::vector<std::int64_t> shape = tensor.shape;
    shape[axis] /= cut.segments;
    const std::size_t piece = values.size() / static_cast<std::size_t>(cut.segments);
    for (std::int64_t segment = 0; segment < cut.segments; ++segment) {
        offsets[axis] = (segment * cut.members + cut.index) * shape[axis];
        tensors.push_back({name, shape,
                           values.subspan(static_cast<std::size_t>(segment) * piece, piece),
                           offsets, static_cast<int>(segment * cut.members + cut.index) + 1});
    }
}

}  // namespace

void addShards(const program::Network& part, int column, const SavedBuffers& saved,
               std::span<const float> statistics, checkpoint::Snapshot& snapshot) {
    const std::vector<model::TensorShard>& shards = part.graph().shards;
    for (std::size_t i = 0; i < part.tensors().size(); ++i) {
        const PlacedTensor& tensor = part.tensors()[i];
        const model::TensorShard cut =
            (i < shards.size() ? shards[i] : model::TensorShard{}).of(column);
        const std::span<const float> model =
            tensor.isStatistic() ? statistics : std::span<const float>(saved.model);
        addPieces(tensor, cut, "", tensor.in(model), snapshot.model);
        for (std::size_t j = 0; j < saved.names.size() && !tensor.isStatistic(); ++j)
            addPieces(tensor, cut, "." + saved.names[j],
                      tensor.in(std::span<const float>(saved.state[j])), snapshot.optimizer);
    }
}

}  // namespace lockstep::train
