// SPDX-License-Identifier: Apache-2.0
#include "core/data/packed/packed_sets.h"

#include <array>
#include <utility>

#include "core/base/try.h"
#include "core/text/json_fields.h"

namespace lockstep::data {

namespace {

using text::Json;

tl::unexpected<Error> mismatch() {
    return fail(ErrorCode::Corrupt, "packed data are not what their description says");
}

std::array<std::pair<const char*, Split RawSets::*>, 3> parts() {
    return {{{"train", &RawSets::train},
             {"test", &RawSets::test},
             {"validation", &RawSets::validation}}};
}

}  // namespace

Json describeSplit(const Split& split) {
    return Json::object({{"count", split.count},
                         {"input", static_cast<int>(split.inputKind)},
                         {"shape", Json(split.shape)},
                         {"extras", split.extras},
                         {"stride", split.stride},
                         {"target", static_cast<int>(split.targetKind)},
                         {"values", split.valuesPerSample}});
}

Result<Split> describedSplit(const Json& json) {
    Split split;
    int input = 0;
    int target = 0;
    text::JsonFields fields(json);
    fields.read("count", split.count);
    fields.read("input", input);
    fields.read("shape", split.shape);
    fields.read("extras", split.extras);
    fields.read("stride", split.stride);
    fields.read("target", target);
    fields.read("values", split.valuesPerSample);
    TRY(fields.checked());
    if (input < 0 || input > static_cast<int>(InputKind::Tokens) || target < 0 ||
        target > static_cast<int>(TargetKind::Values))
        return mismatch();
    split.inputKind = static_cast<InputKind>(input);
    split.targetKind = static_cast<TargetKind>(target);
    return split;
}

Result<void> attach(Split& split, SharedBytes inputs, SharedBytes targets) {
    if (inputs.size() != split.count * split.bytesPerSample() ||
        targets.size() != split.count * split.bytesPerTarget())
        return mismatch();
    split.inputs = std::move(inputs);
    split.targets = std::move(targets);
    return {};
}

std::string describeSets(const RawSets& sets) {
    Json meaning;
    for (const auto& [name, part] : parts())
        meaning[name] = describeSplit(sets.*part);
    return meaning.text();
}

Result<std::string> packSets(const RawSets& sets, PackedWriter& writer) {
    for (const auto& [name, part] : parts())
        for (const SharedBytes* bytes : {&(sets.*part).inputs, &(sets.*part).targets}) {
            TRY(writer.append(*bytes));
            TRY(writer.endSection());
        }
    return describeSets(sets);
}

Result<RawSets> packedSets(const PackedData& data) {
    const Json meaning = TRY(text::parseJson(data.meaning));
    RawSets sets;
    std::size_t section = 0;
    if (data.sections.size() < 2 * parts().size()) return mismatch();
    for (const auto& [name, part] : parts()) {
        const Json* json = meaning.find(name);
        if (json == nullptr) return mismatch();
        sets.*part = TRY(describedSplit(*json));
        TRY(attach(sets.*part, data.sections[section], data.sections[section + 1]));
        section += 2;
    }
    return sets;
}

}  // namespace lockstep::data
