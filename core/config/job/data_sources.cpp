// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/data_sources.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep::config {

namespace {

void addOnce(std::vector<NamedFile>& files, const char* key, std::string path) {
    if (!path.empty() && std::ranges::find(files, path, &NamedFile::path) == files.end())
        files.push_back({key, std::move(path)});
}

bool isModelOfPieces(const std::string& tokenizer) {
    return tokenizer != "bytes" && tokenizer != "characters";
}

}  // namespace

bool namesFiles(const std::string& dataset) {
    return dataset == "table" || dataset == "text" || dataset == "arrays";
}

ArrayName arrayNameOf(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || !text.substr(0, colon).ends_with(".npz")) return {text};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<NamedFile> dataFiles(const DataSpec& data) {
    std::vector<NamedFile> files;
    if (data.dataset == "table" || data.dataset == "text")
        for (const std::string& file : data.files)
            addOnce(files, "data.files", file);
    if (data.dataset == "text" && isModelOfPieces(data.text.tokenizer))
        addOnce(files, "data.tokenizer", data.text.tokenizer);
    if (data.dataset != "arrays") return files;
    const ArraysSpec& arrays = data.arrays;
    const std::array<std::pair<const char*, const std::string*>, 6> names = {{
        {"data.inputs", &arrays.inputs},
        {"data.targets", &arrays.targets},
        {"data.validation_inputs", &arrays.validationInputs},
        {"data.validation_targets", &arrays.validationTargets},
        {"data.test_inputs", &arrays.testInputs},
        {"data.test_targets", &arrays.testTargets},
    }};
    for (const auto& [key, name] : names)
        addOnce(files, key, arrayNameOf(*name).file);
    return files;
}

}  // namespace lockstep::config
