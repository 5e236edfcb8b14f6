// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/manifest.h"

#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/layout.h"
#include "core/text/json.h"
#include "core/text/json_fields.h"

namespace lockstep::checkpoint {

namespace {

using text::Json;
using text::JsonFields;

Json toJson(const FileRecords& records) {
    Json files = Json::Object();
    for (const auto& [name, record] : records) {
        Json& file = files[name];
        file = Json::object({{"bytes", record.bytes}, {"xxh3_128", record.hash}});
        if (!record.tensors.empty()) file["tensors"] = record.tensors;
        if (record.blocks.empty()) continue;
        file["block_bytes"] = record.blockBytes;
        file["blocks"] = record.blocks;
    }
    return files;
}

Json toJson(const Manifest& manifest) {
    return Json::object(
        {{"format", manifest.format}, {"step", manifest.step}, {"files", toJson(manifest.files)}});
}

Result<FileRecord> toRecord(const Json& value) {
    FileRecord record;
    JsonFields fields(value);
    fields.read("bytes", record.bytes);
    fields.read("xxh3_128", record.hash);
    fields.readIfThere("tensors", record.tensors);
    fields.readIfThere("block_bytes", record.blockBytes);
    fields.readIfThere("blocks", record.blocks);
    TRY(fields.checked());
    return record;
}

Result<FileRecords> toRecords(const std::map<std::string, Json>& files) {
    FileRecords records;
    for (const auto& [name, value] : files) {
        if (!isFileOfCheckpoint(name))
            return fail(ErrorCode::Corrupt,
                        fmt::format("{} is no file of a checkpoint", sanitizeLine(name, 200)));
        auto record = toRecord(value);
        if (!record) return failWithin(name, record.error());
        records[name] = std::move(*record);
    }
    return records;
}

Result<Manifest> toManifest(const Json& document) {
    Manifest manifest;
    std::map<std::string, Json> files;
    JsonFields fields(document);
    fields.read("format", manifest.format);
    fields.read("step", manifest.step);
    fields.read("files", files);
    TRY(fields.checked());
    manifest.files = TRY(toRecords(files));
    return manifest;
}

}  // namespace

std::string encodeManifest(const Manifest& manifest) {
    Json document = toJson(manifest);
    document["manifest_xxh3_128"] = contentHash(document.text());
    return document.text(1) + "\n";
}

Result<Manifest> parseManifest(std::string_view text) {
    const Json document = TRY(text::parseJson(text, text.size()));
    auto manifest = TRY(toManifest(document));
    if (manifest.format < 1 || manifest.format > kShardedFormat)
        return fail(ErrorCode::Corrupt, fmt::format("its format is {}; this version reads 1 to {}",
                                                    manifest.format, kShardedFormat));
    // Writing it again checks everything at once: its own hash, unknown keys, even spaces.
    if (encodeManifest(manifest) != text)
        return fail(ErrorCode::Corrupt, "it does not match its own checksum");
    return manifest;
}

std::string encodeRecords(const FileRecords& records) {
    return Json::object({{"files", toJson(records)}}).text();
}

Result<FileRecords> parseRecords(std::string_view text) {
    const Json document = TRY(text::parseJson(text, text.size()));
    std::map<std::string, Json> files;
    JsonFields fields(document);
    fields.read("files", files);
    TRY(fields.checked());
    return toRecords(files);
}

}  // namespace lockstep::checkpoint
