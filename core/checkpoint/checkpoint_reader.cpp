// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_files.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/shard_reader.h"
#include "core/checkpoint/training_state.h"

namespace lockstep::checkpoint {

namespace {

Result<Tensor> toTensor(const SafetensorView& view) {
    if (view.dtype != DType::F32)
        return fail(ErrorCode::Corrupt, fmt::format("tensor {} is not F32", view.name));
    Tensor tensor{view.name, view.shape, std::vector<float>(view.bytes.size() / sizeof(float))};
    if (!view.bytes.empty())
        std::memcpy(tensor.values.data(), view.bytes.data(), view.bytes.size());
    return tensor;
}

/// Either form of it.
Result<std::vector<Tensor>> readTensors(int folder, const char* name, const char* kind,
                                        const Manifest& manifest) {
    if (manifest.format >= kShardedFormat) return readShards(folder, manifest, kind);
    const auto text = TRY(readListed(folder, name, manifest));
    const auto content = parseSafetensors(text);
    if (!content) return failWithin(name, content.error());
    const auto& listed = manifest.files.at(name).tensors;
    if (content->tensors.size() != listed.size())
        return fail(ErrorCode::Corrupt,
                    fmt::format("{} holds {}; its manifest lists {}", name,
                                counted(content->tensors.size(), "tensor"), listed.size()));
    std::vector<Tensor> tensors;
    for (const SafetensorView& view : content->tensors) {
        const auto hash = listed.find(view.name);
        if (hash == listed.end() || hash->second != contentHash(view.bytes))
            return fail(ErrorCode::Corrupt,
                        fmt::format("{}: tensor {} does not match its checksum", name, view.name));
        auto tensor = toTensor(view);
        if (!tensor) return failWithin(name, tensor.error());
        tensors.push_back(std::move(*tensor));
    }
    return tensors;
}

Result<std::string> modelHashOf(const std::vector<Tensor>& model, const Manifest& manifest) {
    if (const auto file = manifest.files.find(kModelFile); file != manifest.files.end())
        return file->second.hash;
    std::vector<SafetensorView> views;
    for (const Tensor& tensor : model)
        views.push_back({tensor.name, DType::F32, tensor.shape,
                         std::string_view(reinterpret_cast<const char*>(tensor.values.data()),
                                          tensor.values.size() * sizeof(float))});
    ContentHash hash;
    hash.add(TRY(encodeSafetensorsHead(views, {{"format", "pt"}})));
    for (const SafetensorView& view : views)
        hash.add(view.bytes);
    return hash.digits();
}

}  // namespace

Result<Manifest> readManifest(int folder, std::int64_t step) {
    const auto text = TRY(readWhole(folder, kManifestFile));
    auto manifest = parseManifest(text);
    if (!manifest) return failWithin(kManifestFile, manifest.error());
    if (manifest->step != step)
        return fail(ErrorCode::Corrupt, fmt::format("its manifest is of step {}", manifest->step));
    return manifest;
}

namespace {

Result<TrainingState> readState(int folder, std::int64_t step, const Manifest& manifest) {
    const auto stateText = TRY(readListed(folder, kStateFile, manifest));
    auto state = parseState(stateText);
    if (!state) return failWithin(kStateFile, state.error());
    if (state->step != step)
        return fail(ErrorCode::Corrupt, fmt::format("{} is of step {}", kStateFile, state->step));
    return state;
}

}  // namespace

Result<TrainingState> verifyCheckpoint(int folder, std::int64_t step, Contents contents) {
    const auto manifest = TRY(readManifest(folder, step));
    auto state = TRY(readState(folder, step, manifest));
    for (const auto& [name, kind] :
         {std::pair{kModelFile, kModelFolder}, {kOptimizerFile, kOptimizerFolder}}) {
        if (contents == Contents::Model && kind == kOptimizerFolder) continue;
        if (manifest.format < kShardedFormat) {
            std::ignore = TRY(readTensors(folder, name, kind, manifest));
            continue;
        }
        auto index = TRY(ShardIndex::read(folder, manifest, kind));
        TRY(index.verify());
    }
    return state;
}

Result<std::optional<OpenShards>> openShards(int folder, std::int64_t step) {
    const auto manifest = TRY(readManifest(folder, step));
    if (manifest.format < kShardedFormat) return std::nullopt;
    auto state = TRY(readState(folder, step, manifest));
    auto model = TRY(ShardIndex::read(folder, manifest, kModelFolder));
    auto optimizer = TRY(ShardIndex::read(folder, manifest, kOptimizerFolder));
    return OpenShards{std::move(state), std::move(model), std::move(optimizer)};
}

Result<LoadedCheckpoint> readCheckpoint(int folder, std::int64_t step, Contents contents) {
    const auto manifest = TRY(readManifest(folder, step));
    auto state = TRY(readState(folder, step, manifest));
    auto model = TRY(readTensors(folder, kModelFile, kModelFolder, manifest));
    std::vector<Tensor> optimizer;
    if (contents == Contents::All)
        optimizer = TRY(readTensors(folder, kOptimizerFile, kOptimizerFolder, manifest));
    // The forms differ, what is in them does not.
    LoadedCheckpoint loaded{std::min(manifest.format, kCheckpointFormat),
                            std::move(state),
                            std::move(model),
                            std::move(optimizer),
                            0,
                            {}};
    loaded.modelHash = TRY(modelHashOf(loaded.model, manifest));
    for (const auto& [name, record] : manifest.files)
        loaded.bytes += record.bytes;
    return loaded;
}

}  // namespace lockstep::checkpoint
