// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/shard_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/try.h"

namespace lockstep::train {

namespace {

using program::PlacedTensor;

model::TensorShard cutOf(const program::Network& part, std::size_t tensor, int column) {
    const std::vector<model::TensorShard>& shards = part.graph().shards;
    return (tensor < shards.size() ? shards[tensor] : model::TensorShard{}).of(column);
}

/// A stretch of a part that lies together in the whole tensor.
struct Piece {
    checkpoint::Box box;     ///< In the whole tensor.
    std::size_t begin = 0;   ///< In the part.
    std::int64_t place = 0;  ///< Among the pieces of all members.

    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(checkpoint::elementsOf(box.shape));
    }
};

/// What is cut is cut into equal pieces, so that the size of the whole tensor follows from that of
/// the part, `shape`.
std::vector<Piece> piecesOf(const model::TensorShard& cut, const model::Shape& shape) {
    Piece piece{{std::vector<std::int64_t>(shape.size()), shape}};
    if (cut.isWhole()) return {piece};
    LS_CHECK(cut.segments == 1 || cut.axis == 0, "stretches lie one behind the other");
    const auto axis = static_cast<std::size_t>(cut.axis);
    piece.box.shape[axis] /= cut.segments;
    std::vector<Piece> pieces;
    for (std::int64_t segment = 0; segment < cut.segments; ++segment) {
        piece.place = segment * cut.members + cut.index;
        piece.box.offsets[axis] = piece.place * piece.box.shape[axis];
        pieces.push_back(piece);
        piece.begin += piece.size();
    }
    return pieces;
}

/// Of one tensor of the part.
void addPieces(const PlacedTensor& tensor, const model::TensorShard& cut, const std::string& suffix,
               std::span<const float> values, std::vector<checkpoint::TensorRef>& tensors) {
    if (cut.isWhole() && cut.index > 0) return;  // the first member's
    for (const Piece& piece : piecesOf(cut, tensor.shape))
        tensors.push_back({tensor.name + suffix, piece.box.shape,
                           values.subspan(piece.begin, piece.size()), piece.box.offsets,
                           static_cast<int>(piece.place) + 1});
}

std::vector<checkpoint::Tensor> outlineOf(const checkpoint::ShardIndex& index) {
    std::vector<checkpoint::Tensor> tensors;
    for (const auto& [name, whole] : index.tensors())
        tensors.push_back({name, whole.shape, {}});
    return tensors;
}

/// Adds the part of the tensor of that name, where the checkpoint has it.
Result<void> addPart(checkpoint::ShardIndex& index, const std::string& name,
                     const PlacedTensor& tensor, const model::TensorShard& cut,
                     std::vector<checkpoint::Tensor>& tensors) {
    const auto found = index.tensors().find(name);
    if (found == index.tensors().end()) return {};
    const checkpoint::ShardIndex::Whole& whole = found->second;
    TRY(checkShape(name, whole.shape, model::wholeShapeOf(cut, tensor.shape)));
    if (whole.dtype != checkpoint::DType::F32)
        return fail(ErrorCode::Corrupt,
                    fmt::format("{}: tensor {} is not F32", whole.pieces.front().file, name));
    checkpoint::Tensor part{name, tensor.shape, std::vector<float>(tensor.size())};
    for (const Piece& piece : piecesOf(cut, tensor.shape))
        TRY(index.readBox(
            name, piece.box,
            std::as_writable_bytes(std::span(part.values).subspan(piece.begin, piece.size()))));
    tensors.push_back(std::move(part));
    return {};
}

/// What an optimiser's tensors are called behind the names of the model's.
std::set<std::string> suffixesOf(const checkpoint::ShardIndex& optimizer) {
    std::set<std::string> suffixes;
    for (const auto& [name, whole] : optimizer.tensors())
        suffixes.insert(name.substr(std::min(name.rfind('.'), name.size())));
    return suffixes;
}

}  // namespace

void addShards(const program::Network& part, int column, const SavedBuffers& saved,
               std::span<const float> statistics, checkpoint::Snapshot& snapshot) {
    for (std::size_t i = 0; i < part.tensors().size(); ++i) {
        const PlacedTensor& tensor = part.tensors()[i];
        const model::TensorShard cut = cutOf(part, i, column);
        const std::span<const float> model =
            tensor.isStatistic() ? statistics : std::span<const float>(saved.model);
        addPieces(tensor, cut, "", tensor.in(model), snapshot.model);
        for (std::size_t j = 0; j < saved.names.size() && !tensor.isStatistic(); ++j)
            addPieces(tensor, cut, "." + saved.names[j],
                      tensor.in(std::span<const float>(saved.state[j])), snapshot.optimizer);
    }
}

checkpoint::LoadedCheckpoint outlineOf(const checkpoint::OpenShards& shards) {
    checkpoint::LoadedCheckpoint outline;
    outline.state = shards.state;
    outline.model = outlineOf(shards.model);
    outline.optimizer = outlineOf(shards.optimizer);
    return outline;
}

/// In the order in which they lie in the files.
Result<checkpoint::LoadedCheckpoint> readPart(checkpoint::OpenShards& shards,
                                              const program::Network& part, int column) {
    TRY(checkTensorCount(part, shards.model.tensors().size()));
    checkpoint::LoadedCheckpoint read;
    read.state = shards.state;
    const std::set<std::string> suffixes = suffixesOf(shards.optimizer);
    for (std::size_t i = 0; i < part.tensors().size(); ++i) {
        const PlacedTensor& tensor = part.tensors()[i];
        const model::TensorShard cut = cutOf(part, i, column);
        TRY(addPart(shards.model, tensor.name, tensor, cut, read.model));
        for (const std::string& suffix : suffixes)
            TRY(addPart(shards.optimizer, tensor.name + suffix, tensor, cut, read.optimizer));
    }
    return read;
}

}  // namespace lockstep::train
