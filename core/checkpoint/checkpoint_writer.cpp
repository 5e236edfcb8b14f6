// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_writer.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>

#include "core/base/file.h"
#include "core/base/file_parts.h"
#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/training_state.h"
#include "core/text/json.h"

namespace lockstep::checkpoint {

namespace {

SafetensorView viewOf(const TensorRef& tensor) {
    return {tensor.name, DType::F32, tensor.shape,
            std::string_view(reinterpret_cast<const char*>(tensor.values.data()),
                             tensor.values.size_bytes())};
}

std::vector<SafetensorView> viewsOf(const std::vector<TensorRef>& tensors) {
    std::vector<SafetensorView> views;
    views.reserve(tensors.size());
    for (const TensorRef& tensor : tensors)
        views.push_back(viewOf(tensor));
    return views;
}

std::vector<std::string> blocksOf(std::span<const std::string_view> parts,
                                  std::uint64_t blockBytes) {
    std::vector<std::string> blocks;
    ContentHash hash;
    std::uint64_t filled = 0;
    for (std::string_view part : parts)
        while (!part.empty()) {
            const std::string_view piece = part.substr(0, blockBytes - filled);
            hash.add(piece);
            part.remove_prefix(piece.size());
            filled += piece.size();
            if (filled < blockBytes) continue;
            blocks.push_back(hash.digits());
            hash = ContentHash();
            filled = 0;
        }
    if (filled > 0) blocks.push_back(hash.digits());
    return blocks;
}

/// Writes one file and notes what a reader must find.
Result<void> writeFile(const std::filesystem::path& folder, const std::string& name,
                       std::span<const std::string_view> parts, FileRecords& records) {
    FileRecord& record = records[name];
    ContentHash hash;
    for (const std::string_view part : parts) {
        record.bytes += part.size();
        hash.add(part);
    }
    record.hash = hash.digits();
    return writeNewFileByParts(folder / name, parts);
}

enum class Reading : std::uint8_t { Whole, InParts };

Result<void> writeTensors(const std::filesystem::path& folder, const std::string& name,
                          std::vector<SafetensorView> views, const SafetensorMetadata& metadata,
                          Reading reading, FileRecords& records) {
    const auto head = encodeSafetensorsHead(views, metadata);
    if (!head) return failWithin(name, head.error());
    std::vector<std::string_view> parts{*head};
    for (const SafetensorView& view : views) {
        records[name].tensors[view.name] = contentHash(view.bytes);
        parts.push_back(view.bytes);
    }
    if (reading == Reading::InParts) {
        FileRecord& record = records[name];
        std::uint64_t bytes = 0;
        for (const std::string_view part : parts)
            bytes += part.size();
        record.blockBytes = blockBytesOf(bytes);
        record.blocks = blocksOf(parts, record.blockBytes);
        if (record.blocks.size() == 1) record.blocks.clear();
    }
    return writeFile(folder, name, parts, records);
}

/// As PyTorch's reader of distributed checkpoints wants it: where each tensor of the file begins.
SafetensorMetadata metadataOf(const std::vector<ShardPiece>& pieces) {
    text::Json places = text::Json::Object();
    for (const ShardPiece& piece : pieces) {
        const auto offsets = piece.offsets.empty()
                                 ? std::vector<std::int64_t>(piece.view.shape.size())
                                 : piece.offsets;
        places[piece.view.name] = text::Json::object({{kSavedOffsets, offsets}});
    }
    return {{"format", "pt"}, {"DCP_VERSION", "1.0"}, {kShardingInfo, places.text()}};
}

Result<void> writeShardsOf(const std::filesystem::path& folder, const char* kind,
                           const std::vector<TensorRef>& tensors, FileRecords& records) {
    std::map<int, std::vector<ShardPiece>> shards;
    for (const TensorRef& tensor : tensors)
        shards[tensor.shard].push_back({viewOf(tensor), tensor.offsets});
    for (const auto& [number, shard] : shards)
        TRY(writeShard(folder, kind, number, shard, records));
    return shards.empty() ? Result<void>() : syncFolder(folder / kind);
}

Result<void> makeFolder(const std::filesystem::path& folder) {
    if (::mkdir(folder.c_str(), 0755) == 0) return {};
    return fail(errno == ENOSPC || errno == EDQUOT ? ErrorCode::NoRoom : ErrorCode::Io,
                fmt::format("cannot create {}: {}", folder.string(), errnoText()));
}

/// All parts, this process's and the others'. The others are waited for whatever becomes of this
/// one's: nobody writes into a folder that is removed.
Result<void> writeParts(const std::filesystem::path& folder, const Snapshot& snapshot,
                        ShardCrew* crew, FileRecords& records) {
    for (const char* kind : {kModelFolder, kOptimizerFolder})
        TRY(makeFolder(folder / kind));
    if (crew != nullptr) TRY(crew->order({snapshot.number, folder.filename().string()}));
    auto written = writeShards(folder, snapshot);
    auto others = crew != nullptr ? crew->collect() : Result<FileRecords>();
    if (!written) return fail(written.error());
    if (!others) return fail(others.error());
    records.merge(*written);
    records.merge(*others);
    for (const auto& [name, record] : *others)
        return fail(ErrorCode::Internal, fmt::format("two processes have written {}", name));
    for (const char* kind : {kModelFolder, kOptimizerFolder})
        TRY(syncFolder(folder / kind));
    return {};
}

/// What nobody could load must not become the newest checkpoint.
Result<void> checkReadable(const std::string& manifest) {
    if (manifest.size() > kLargestManifest)
        return fail(ErrorCode::BadInput,
                    fmt::format("its manifest would have {} bytes, and no more than {} are read",
                                manifest.size(), kLargestManifest),
                    "Write it from fewer processes, or with fewer tensors.");
    const auto read = parseManifest(manifest);
    if (read) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("its manifest could not be read: {}", read.error().message));
}

}  // namespace

std::uint64_t blockBytesOf(std::uint64_t fileBytes) {
    constexpr std::uint64_t kMostBlocks = 4096;
    std::uint64_t block = kLeastBlock;
    while (block < kLargestBlock && fileBytes > kMostBlocks * block)
        block *= 2;
    return block;
}

Result<void> writeShard(const std::filesystem::path& folder, const char* kind, int number,
                        const std::vector<ShardPiece>& pieces, FileRecords& records) {
    std::vector<SafetensorView> views;
    for (const ShardPiece& piece : pieces)
        views.push_back(piece.view);
    return writeTensors(folder, shardName(kind, number), std::move(views), metadataOf(pieces),
                        Reading::InParts, records);
}

Result<FileRecords> writeShards(const std::filesystem::path& folder, const Snapshot& snapshot) try {
    FileRecords records;
    TRY(writeShardsOf(folder, kModelFolder, snapshot.model, records));
    TRY(writeShardsOf(folder, kOptimizerFolder, snapshot.optimizer, records));
    return records;
} catch (const std::exception& error) {  // out of memory
    return fail(ErrorCode::Unavailable, error.what());
}

Result<std::uint64_t> writeCheckpoint(const std::filesystem::path& folder, const Snapshot& snapshot,
                                      ShardCrew* crew) {
    TRY(makeFolder(folder));
    Manifest manifest{snapshot.state.step, {}};
    if (snapshot.isSharded) {
        manifest.format = kShardedFormat;
        TRY(writeParts(folder, snapshot, crew, manifest.files));
    } else {
        const SafetensorMetadata metadata{{"format", "pt"}};
        TRY(writeTensors(folder, kModelFile, viewsOf(snapshot.model), metadata, Reading::Whole,
                         manifest.files));
        TRY(writeTensors(folder, kOptimizerFile, viewsOf(snapshot.optimizer), metadata,
                         Reading::Whole, manifest.files));
    }
    const auto state = TRY(encodeState(snapshot.state));
    const std::string_view stateText = state;
    TRY(writeFile(folder, kStateFile, {&stateText, 1}, manifest.files));
    const std::string text = encodeManifest(manifest);
    TRY(checkReadable(text));
    TRY(writeNewFileDurably(folder / kManifestFile,
                            std::as_bytes(std::span(text.data(), text.size()))));
    TRY(syncFolder(folder));
    std::uint64_t bytes = text.size();
    for (const auto& [name, record] : manifest.files)
        bytes += record.bytes;
    return bytes;
}

}  // namespace lockstep::checkpoint
