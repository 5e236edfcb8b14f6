// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/source_keys.h"

#include <fmt/format.h>

#include "core/config/keys/feature_keys.h"

namespace lockstep::config {

namespace {

using Spec = JobSpec;

constexpr int kLongestSequence = 1 << 20;

/// A member of DataSpec::table, text or arrays.
template <auto Part, auto Member>
constexpr auto ofData = at<&JobSpec::data, Part, Member>;

/// A column's name, or several in an array: names may have commas.
Key<Spec> targetKey() {
    Key<Spec> key;
    key.help.kind = ValueKind::TextList;
    key.read = [](const TomlValue& value, Spec& spec) -> Problems {
        using Kind = TomlValue::Kind;
        std::vector<std::string> names;
        if (value.kind == Kind::String) names = {value.text};
        for (const TomlValue& element : value.elements)
            if (element.kind == Kind::String) names.push_back(element.text);
        const bool areAll = value.kind == Kind::String || names.size() == value.elements.size();
        if (!areAll || (value.kind != Kind::String && value.kind != Kind::Array))
            return {{placeOf(value),
                     {},
                     fmt::format("is {}, but must be a column's name, or an array of names",
                                 shownValue(value)),
                     "Write for example \"price\"."}};
        spec.data.table.targets = std::move(names);
        return {};
    };
    key.write = [](const Spec& spec) {
        const auto& names = spec.data.table.targets;
        std::string text;
        for (const std::string& name : names)
            text += (text.empty() ? "" : ", ") + tomlString(name);
        return names.size() < 2 ? text : "[" + text + "]";
    };
    return key;
}

Key<Spec> splitKey() {
    Key<Spec> key;
    key.help.kind = ValueKind::Number;
    key.help.minimum = 0;
    key.help.maximum = 1;
    key.help.belowMaximum = true;
    const KeyHelp help = key.help;
    key.read = [help](const TomlValue& value, Spec& spec) {
        Problems problems = checkScalar(value, help);
        if (problems.empty()) spec.data.validationSplit = value.number;
        return problems;
    };
    key.write = [](const Spec& spec) {
        const auto& share = spec.data.validationSplit;
        return share ? tomlNumber(*share) : std::string();
    };
    return key;
}

/// No files are left out, not written as an empty list.
Key<Spec> filesKey() {
    Key<Spec> key = textListKey<Spec>(at<&Spec::data, &DataSpec::files>);
    const auto write = key.write;
    key.write = [write](const Spec& spec) {
        return spec.data.files.empty() ? std::string() : write(spec);
    };
    return key;
}

/// A whole number without a default.
Key<Spec> lengthKey() {
    constexpr auto length = ofData<&DataSpec::text, &TextSpec::sequenceLength>;
    Key<Spec> key = integerKey<Spec>(length, {1, kLongestSequence});
    key.write = [length](const Spec& spec) {
        return length(spec) == 0 ? std::string() : std::to_string(length(spec));
    };
    return key;
}

template <auto Member>
Key<Spec> arrayKey(std::string name, std::string help) {
    return named(std::move(name), "", std::move(help),
                 textKey<Spec>(ofData<&DataSpec::arrays, Member>, ValueKind::Path));
}

std::vector<Key<Spec>> keysOfTables() {
    return {
        named("data.target", "",
              "Of table: the column that is predicted, or several. Its numbers are values; of one "
              "that data.features calls categorical, its values are classes.",
              targetKey()),
        named("data.target_scale", "",
              "Of table and arrays: the loss is of the target's numbers times this; figures and "
              "predictions are scaled back.",
              numberKey<Spec>(ofData<&DataSpec::table, &TableSpec::targetScale>,
                              {0, 1e30, true, false})),
        named("data.missing", "",
              "Of table: what becomes of a row with a cell that lacks (of numbers empty, NA, NaN "
              "and the like, of string_categorical nothing or blanks, which do not count around "
              "its words either): error ends the start and names it; mean takes the training rows' "
              "mean, "
              "unknown for a category; skip leaves the row out and counts it.",
              wordKey<Spec>(ofData<&DataSpec::table, &TableSpec::missing>,
                            {{"error", OnMissing::Error},
                             {"mean", OnMissing::Mean},
                             {"skip", OnMissing::Skip}})),
        named("data.features", "",
              "Of table: a line for each column that is learned from, named as in Keras' "
              "FeatureSpace: float, float_normalized (by mean and deviation of the training rows), "
              "integer_categorical, string_categorical; of these a table with type, max_tokens and "
              "output_mode (one_hot; int for the input data.COLUMN of an embedding) says more.",
              featuresKey()),
    };
}

std::vector<Key<Spec>> keysOfArrays() {
    return {
        arrayKey<&ArraysSpec::inputs>(
            "data.inputs",
            "Of arrays: samples, a .npy file or FILE.npz:NAME; the first dimension counts them. "
            "Images of bytes reach the network in 0..1, other numbers as they are."),
        arrayKey<&ArraysSpec::targets>(
            "data.targets",
            "Of arrays: what belongs to data.inputs; whole numbers, one a sample, are classes, all "
            "others values."),
        arrayKey<&ArraysSpec::validationInputs>(
            "data.validation_inputs",
            "Of arrays: validation samples; without them, validation_split of the others."),
        arrayKey<&ArraysSpec::validationTargets>("data.validation_targets",
                                                 "Of arrays: what belongs to them."),
        arrayKey<&ArraysSpec::testInputs>(
            "data.test_inputs",
            "Of arrays: test samples; without them, the validation samples are the test samples."),
        arrayKey<&ArraysSpec::testTargets>("data.test_targets", "Of arrays: what belongs to them."),
    };
}

}  // namespace

std::vector<Key<JobSpec>> sourceKeys() {
    std::vector<Key<Spec>> keys = {
        named("data.files", "",
              "Of table: CSV files with a header each; of text: text files. Read one behind the "
              "other, plain or gzipped, relative to the job file.",
              filesKey()),
        named("data.validation_split", "",
              "The share of the samples that validate, instead of validation_samples: of table, "
              "rows chosen from everywhere, always the same; of all others the last ones. Left "
              "out, it is 0.1 of table, text and arrays.",
              splitKey()),
        named("data.tokenizer", "",
              "Of text: what a token is: bytes, characters (those of the training text), or a "
              "piece of the SentencePiece model whose path this is.",
              textKey<Spec>(ofData<&DataSpec::text, &TextSpec::tokenizer>, ValueKind::Path)),
        named("data.sequence_length", "tokens", "Of text: how many tokens a sample has.",
              lengthKey()),
    };
    for (auto* part : {&keysOfTables, &keysOfArrays})
        for (Key<Spec>& key : part())
            keys.push_back(std::move(key));
    return keys;
}

}  // namespace lockstep::config
