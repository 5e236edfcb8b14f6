// SPDX-License-Identifier: Apache-2.0
#include "core/data/sample_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/try.h"
#include "core/text/json.h"
#include "core/text/json_fields.h"

namespace lockstep::data {

namespace {

using text::Json;
using text::JsonFields;

constexpr std::array<std::pair<InputKind, std::string_view>, 3> kInputKinds{
    {{InputKind::Pixels, "pixels"}, {InputKind::Floats, "numbers"}, {InputKind::Tokens, "tokens"}}};
constexpr std::array<std::pair<TargetKind, std::string_view>, 3> kTargetKinds{
    {{TargetKind::Class, "class"},
     {TargetKind::NextToken, "next_token"},
     {TargetKind::Values, "values"}}};
/// A tokenizer of many pieces, a column of many categories: less than a checkpoint's state.json can
/// be read with (64 MiB and two million values), for what else it holds.
constexpr std::size_t kMostBytes = std::size_t{60} << 20;
constexpr std::size_t kMostValues = 1'900'000;

Error tooMuch(const std::string& why) {
    return {ErrorCode::BadInput,
            fmt::format("data: what the samples are (categories, tokens, names of classes) is more "
                        "than a checkpoint holds: {}",
                        why),
            "Set max_tokens for the columns of data.features with many categories, or leave out "
            "columns whose every row has a value of its own."};
}

template <typename Table, typename Kind>
std::string_view wordFor(const Table& table, Kind kind) {
    return std::ranges::find(table, kind, [](const auto& entry) { return entry.first; })->second;
}

template <typename Table, typename Kind>
void readWord(JsonFields& fields, std::string_view name, const Table& table, Kind& kind,
              bool& isKnown) {
    std::string word(wordFor(table, kind));
    fields.read(name, word);
    const auto found =
        std::ranges::find(table, word, [](const auto& entry) { return entry.second; });
    isKnown = isKnown && found != table.end();
    if (found != table.end()) kind = found->first;
}

Json columnsJson(const std::vector<model::Column>& columns) {
    Json::List list;
    for (const model::Column& column : columns)
        list.push_back(Json::object({{"name", column.name},
                                     {"shape", Json(column.shape)},
                                     {"vocabulary", column.vocabulary}}));
    return Json(std::move(list));
}

Result<std::vector<model::Column>> readColumns(const Json* list) {
    std::vector<model::Column> columns;
    if (list == nullptr) return columns;
    for (const Json& item : list->items()) {
        model::Column column;
        JsonFields fields(item);
        fields.read("name", column.name);
        fields.read("shape", column.shape);
        fields.read("vocabulary", column.vocabulary);
        TRY(fields.checked());
        columns.push_back(std::move(column));
    }
    return columns;
}

}  // namespace

SampleFacts sampleFactsOf(const Dataset& data) {
    return {.inputKind = data.train->inputKind,
            .targetKind = data.train->targetKind,
            .facts = data.facts,
            .classNames = data.classNames,
            .targetNames = data.targetNames,
            .targetScale = data.targetScale,
            .preparation = data.preparation};
}

Result<std::string> encodeSampleFacts(const SampleFacts& sample) {
    const model::DataFacts& facts = sample.facts;
    Json json = Json::object({{"input", wordFor(kInputKinds, sample.inputKind)},
                              {"shape", Json(facts.input)},
                              {"target", wordFor(kTargetKinds, sample.targetKind)}});
    if (!facts.columns.empty()) json["columns"] = columnsJson(facts.columns);
    if (facts.vocabulary > 0) json["vocabulary"] = facts.vocabulary;
    if (facts.classes > 0) json["classes"] = facts.classes;
    if (!sample.classNames.empty()) json["class_names"] = Json(sample.classNames);
    if (facts.values > 0) json["values"] = facts.values;
    if (!sample.targetNames.empty()) json["target_names"] = Json(sample.targetNames);
    if (sample.targetScale != 1) json["target_scale"] = sample.targetScale;
    if (!facts.inputScale.empty()) {
        json["input_scale"] = Json(facts.inputScale);
        json["input_offset"] = Json(facts.inputOffset);
    }
    if (!sample.preparation.empty()) {
        auto preparation = text::parseJson(sample.preparation, kMostBytes, kMostValues);
        if (!preparation) return fail(tooMuch(preparation.error().message));
        json["preparation"] = *std::move(preparation);
    }
    std::string text = json.text();
    const auto read = text::parseJson(text, kMostBytes, kMostValues);
    if (!read) return fail(tooMuch(read.error().message));
    return text;
}

Result<SampleFacts> parseSampleFacts(std::string_view text) {
    const Json json = TRY(text::parseJson(text, kMostBytes));
    SampleFacts sample;
    JsonFields fields(json);
    bool isKnown = true;
    readWord(fields, "input", kInputKinds, sample.inputKind, isKnown);
    readWord(fields, "target", kTargetKinds, sample.targetKind, isKnown);
    fields.read("shape", sample.facts.input);
    fields.readIfThere("vocabulary", sample.facts.vocabulary);
    fields.readIfThere("classes", sample.facts.classes);
    fields.readIfThere("class_names", sample.classNames);
    fields.readIfThere("values", sample.facts.values);
    fields.readIfThere("target_names", sample.targetNames);
    fields.readIfThere("target_scale", sample.targetScale);
    std::vector<double> scale;
    std::vector<double> offset;
    fields.readIfThere("input_scale", scale);
    fields.readIfThere("input_offset", offset);
    TRY(fields.checked());
    sample.facts.inputScale.assign(scale.begin(), scale.end());
    sample.facts.inputOffset.assign(offset.begin(), offset.end());
    sample.facts.columns = TRY(readColumns(json.find("columns")));
    if (const Json* preparation = json.find("preparation"))
        sample.preparation = preparation->text();
    if (!isKnown) return fail(ErrorCode::Corrupt, "its samples are of a kind that is not known");
    return sample;
}

}  // namespace lockstep::data
