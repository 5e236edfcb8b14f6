// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/shard_reader.h"

#include <fmt/format.h>

#include "core/base/try.h"
#include "core/checkpoint/shard_index.h"

namespace lockstep::checkpoint {

Result<std::vector<Tensor>> readShards(int folder, const Manifest& manifest,
                                       const std::string& kind) {
    auto index = TRY(ShardIndex::read(folder, manifest, kind));
    std::vector<Tensor> tensors;
    for (const auto& [name, whole] : index.tensors()) {
        if (whole.dtype != DType::F32)
            return fail(ErrorCode::Corrupt,
                        fmt::format("{}: tensor {} is not F32", whole.pieces.front().file, name));
        Tensor tensor{name, whole.shape, {}};
        tensor.values.resize(static_cast<std::size_t>(elementsOf(whole.shape)));
        TRY(index.readBox(name, whole.box(), std::as_writable_bytes(std::span(tensor.values))));
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

}  // namespace lockstep::checkpoint
