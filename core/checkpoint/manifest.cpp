// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/manifest.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/try.h"
#include "core/checkpoint/hash.h"
#include "core/checkpoint/json_guard.h"

namespace lockstep::checkpoint {

namespace {

using nlohmann::json;

json toJson(const Manifest& manifest) {
    json files = json::object();
    for (const auto& [name, record] : manifest.files) {
        files[name] = {{"bytes", record.bytes}, {"xxh3_128", record.hash}};
        if (!record.tensors.empty()) files[name]["tensors"] = record.tensors;
    }
    return {{"format", manifest.format}, {"step", manifest.step}, {"files", std::move(files)}};
}

Manifest fromJson(const json& document) {
    Manifest manifest;
    document.at("format").get_to(manifest.format);
    document.at("step").get_to(manifest.step);
    for (const auto& [name, value] : document.at("files").items()) {
        FileRecord& record = manifest.files[name];
        value.at("bytes").get_to(record.bytes);
        value.at("xxh3_128").get_to(record.hash);
        if (value.contains("tensors")) value.at("tensors").get_to(record.tensors);
    }
    return manifest;
}

}  // namespace

std::string encodeManifest(const Manifest& manifest) {
    json document = toJson(manifest);
    document["manifest_xxh3_128"] = hashOf(document.dump());
    return document.dump(1) + "\n";
}

Result<Manifest> parseManifest(std::string_view text) {
    TRY(checkJson(text));
    try {
        const json document = json::parse(text);
        Manifest manifest = fromJson(document);
        if (manifest.format < 1 || manifest.format > kCheckpointFormat)
            return fail(ErrorCode::Corrupt,
                        fmt::format("its format is {}; this version reads 1 to {}", manifest.format,
                                    kCheckpointFormat));
        // Writing it again checks everything at once: its own hash, unknown keys, even spaces.
        if (encodeManifest(manifest) != text)
            return fail(ErrorCode::Corrupt, "it does not match its own checksum");
        return manifest;
    } catch (const std::exception& error) {
        return fail(ErrorCode::Corrupt, error.what());
    }
}

}  // namespace lockstep::checkpoint
