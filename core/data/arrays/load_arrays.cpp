// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/load_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/arrays/array_samples.h"
#include "core/data/arrays/array_source.h"
#include "core/data/finish_dataset.h"
#include "core/data/packed/pack_source.h"
#include "core/data/packed/packed_sets.h"
#include "core/data/validation_split.h"
#include "core/text/json_fields.h"

namespace lockstep::data {

namespace {

using text::Json;

/// Grows whenever the same files give other samples.
constexpr int kFormVersion = 1;

constexpr SplitWords kArraySplit{
    .key = "data.validation_split",
    .remedy =
        "Shuffle inputs and targets alike before they are saved (x[order], y[order] by one "
        "numpy.random.permutation), or name validation data of their own."};

/// Arrays of a set, where the job names them.
struct SetNames {
    const char* inputsKey;
    const char* targetsKey;
    const std::string& inputs;
    const std::string& targets;
};

Result<std::optional<ArrayPair>> openPair(const SetNames& names,
                                          const std::filesystem::path& jobFolder,
                                          const std::function<ScratchBytes()>& scratch) {
    if (names.inputs.empty() && names.targets.empty()) return std::nullopt;
    const auto lacks = [](const char* key, const char* other) {
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is not set, and {} is nothing without it", key, other),
                    "Set it to a .npy file, or to FILE.npz:NAME.");
    };
    if (names.inputs.empty()) return lacks(names.inputsKey, names.targetsKey);
    if (names.targets.empty()) return lacks(names.targetsKey, names.inputsKey);
    ArrayPair pair{names.inputsKey, names.targetsKey,
                   TRY(openArray(names.inputsKey, names.inputs, jobFolder, scratch())),
                   TRY(openArray(names.targetsKey, names.targets, jobFolder, scratch()))};
    TRY(checkShapes(pair));
    return pair;
}

/// What is the same in all sets.
Result<void> checkAlike(const ArrayPair& train, const ArrayPair& other) {
    const bool areAlike = sampleShape(train.inputs) == sampleShape(other.inputs) &&
                          holdsImages(train.inputs) == holdsImages(other.inputs) &&
                          isFloat(train.inputs.type) == isFloat(other.inputs.type);
    if (!areAlike)
        return fail(
            ErrorCode::BadInput,
            fmt::format("{} is {} of {}, and {} is {} of {}: samples differ", train.inputsKey,
                        shapeText(train.inputs.shape), toString(train.inputs.type), other.inputsKey,
                        shapeText(other.inputs.shape), toString(other.inputs.type)),
            "Name arrays of the same data set.");
    const auto widthOf = [](const ArrayPair& pair) {
        return pair.targets.shape.size() < 2 ? 1 : pair.targets.shape[1];
    };
    if (holdsClasses(train.targets) != holdsClasses(other.targets) ||
        widthOf(train) != widthOf(other))
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is {} of {}, and {} is {} of {}: targets differ",
                                train.targetsKey, shapeText(train.targets.shape),
                                toString(train.targets.type), other.targetsKey,
                                shapeText(other.targets.shape), toString(other.targets.type)),
                    "Name arrays of the same data set.");
    return {};
}

/// The last samples of `train`, which are taken off it.
Result<Split> splitOff(Split& train, double share) {
    const std::uint32_t count = TRY(validationCount(train.count, share));
    Split last = train;
    last.count = count;
    train.count -= count;
    const std::size_t inputs = train.bytesPerSample();
    const std::size_t targets = train.bytesPerTarget();
    last.inputs = train.inputs.part(train.count * inputs, count * inputs);
    last.targets = train.targets.part(train.count * targets, count * targets);
    train.inputs = train.inputs.part(0, train.count * inputs);
    train.targets = train.targets.part(0, train.count * targets);
    return last;
}

Result<void> reportProblems(const ProblemList& problems, const config::DataSpec& spec,
                            std::vector<std::string>& notes) {
    if (problems.empty()) return {};
    const std::string sentence =
        fmt::format("{} cannot be used: {}", counted(problems.size(), "sample"), problems.text());
    if (spec.onError == config::OnBrokenImage::Error)
        return fail(ErrorCode::BadInput, sentence,
                    "Mend the arrays, or set data.on_error to \"skip\" to leave those samples "
                    "out.");
    notes.push_back(sentence + "; left out");
    return {};
}

void describe(const ArrayFacts& facts, const Split& train, double targetScale, Dataset& dataset) {
    if (facts.areTokens) dataset.facts.vocabulary = facts.highestToken + 1;
    if (train.targetKind == TargetKind::Class) {
        dataset.facts.classes = std::max<std::int64_t>(facts.highestLabel + 1, 2);
        for (std::int64_t label = 0; label < dataset.facts.classes; ++label)
            dataset.classNames.push_back(std::to_string(label));
        return;
    }
    dataset.targetScale = targetScale;
    dataset.facts.values = train.valuesPerSample;
    for (std::uint32_t i = 0; i < train.valuesPerSample; ++i)
        dataset.targetNames.push_back(train.valuesPerSample == 1 ? "target"
                                                                 : fmt::format("target {}", i));
}

Json jsonOf(const PackedSamples& samples) {
    return Json::object({{"split", describeSplit(samples.split)},
                         {"inputs_lie", samples.inputsLie},
                         {"targets_lie", samples.targetsLie}});
}

/// The sets that a job may name, in the order of their sections.
std::array<std::pair<const char*, SetNames>, 3> setsOf(const config::ArraysSpec& arrays) {
    return {{{"train", {"data.inputs", "data.targets", arrays.inputs, arrays.targets}},
             {"validation",
              {"data.validation_inputs", "data.validation_targets", arrays.validationInputs,
               arrays.validationTargets}},
             {"test",
              {"data.test_inputs", "data.test_targets", arrays.testInputs, arrays.testTargets}}}};
}

/// Writes inputs and targets of each set that the job names.
Result<std::string> packArrays(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                               PackedWriter& writer) {
    Json meaning;
    ProblemList problems;
    ArrayFacts facts;
    std::optional<ArrayPair> train;
    for (const auto& [name, names] : setsOf(spec.arrays)) {
        auto pair = TRY(openPair(names, jobFolder, [&writer] { return writer.scratch(); }));
        if (!pair) continue;
        if (train) TRY(checkAlike(*train, *pair));
        meaning["sets"][name] =
            jsonOf(TRY(packSamples(*pair, spec.table.targetScale, writer, problems, facts)));
        if (!train) train = std::move(pair);
    }
    std::vector<std::string> notes;
    TRY(reportProblems(problems, spec, notes));
    meaning["notes"] = Json(notes);
    meaning["highest_label"] = facts.highestLabel;
    if (facts.areTokens) meaning["highest_token"] = facts.highestToken;
    return meaning.text();
}

PackedSource sourceOf(const config::DataSpec& spec, const std::filesystem::path& jobFolder) {
    PackedSource source{.name = fmt::format("arrays {} {} {}\n", kFormVersion,
                                            spec.table.targetScale, static_cast<int>(spec.onError)),
                        .files = {}};
    std::error_code error;
    for (const auto& [name, names] : setsOf(spec.arrays))
        for (const std::string* array : {&names.inputs, &names.targets}) {
            const config::ArrayName parts = config::arrayNameOf(*array);
            const auto file = jobFolder / parts.file;
            source.name += fmt::format("{} {} {}\n", name, parts.array,
                                       std::filesystem::weakly_canonical(file, error).string());
            if (!array->empty() && std::ranges::find(source.files, file) == source.files.end())
                source.files.push_back(file);
        }
    return source;
}

/// Of a set's inputs or targets: the section, or the array of the file that it stands for.
Result<SharedBytes> bytesOf(const PackedData& packed, std::size_t section, bool lies,
                            const char* key, const std::string& name,
                            const std::filesystem::path& jobFolder) {
    if (!lies) return packed.sections.at(section);
    return TRY(openArray(key, name, jobFolder)).bytes;
}

/// The sets of the packed data; train alone need be there.
Result<RawSets> readSets(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                         const PackedData& packed, const Json& meaning) {
    RawSets sets;
    std::size_t section = 0;
    Split* const splits[] = {&sets.train, &sets.validation, &sets.test};
    Split* const* split = splits;
    for (const auto& [name, names] : setsOf(spec.arrays)) {
        Split& into = **split++;
        const Json* set = meaning.find("sets")->find(name);
        if (set == nullptr) continue;
        Json described;
        bool inputsLie = false;
        bool targetsLie = false;
        text::JsonFields fields(*set);
        fields.read("split", described);
        fields.read("inputs_lie", inputsLie);
        fields.read("targets_lie", targetsLie);
        TRY(fields.checked());
        into = TRY(describedSplit(described));
        auto inputs =
            TRY(bytesOf(packed, section, inputsLie, names.inputsKey, names.inputs, jobFolder));
        auto targets = TRY(
            bytesOf(packed, section + 1, targetsLie, names.targetsKey, names.targets, jobFolder));
        TRY(attach(into, std::move(inputs), std::move(targets)));
        section += 2;
    }
    return sets;
}

}  // namespace

Result<Dataset> loadArrays(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                           const std::filesystem::path& cacheFolder, const LoadWatch& watch) {
    const config::ArraysSpec& arrays = spec.arrays;
    if (arrays.inputs.empty() && arrays.targets.empty())
        return fail(ErrorCode::BadInput,
                    "data.inputs is not set; dataset \"arrays\" is read from there",
                    "Set it to a .npy file, or to FILE.npz:NAME.");
    Dataset dataset;
    const auto pack = [&](PackedWriter& writer) { return packArrays(spec, jobFolder, writer); };
    const PackedData packed = TRY(packSource(
        spec, jobFolder, cacheFolder, sourceOf(spec, jobFolder), pack, dataset.notes, watch));
    const Json meaning = TRY(text::parseJson(packed.meaning));
    ArrayFacts facts{.highestLabel = -1, .areTokens = meaning.has("highest_token")};
    std::vector<std::string> notes;
    text::JsonFields fields(meaning);
    fields.read("notes", notes);
    fields.read("highest_label", facts.highestLabel);
    fields.readIfThere("highest_token", facts.highestToken);
    TRY(fields.checked());
    std::ranges::move(notes, std::back_inserter(dataset.notes));
    RawSets sets = TRY(readSets(spec, jobFolder, packed, meaning));
    const double share = spec.validationSplit.value_or(config::kValidationShare);
    const bool hasNone = arrays.validationInputs.empty() && share == 0;
    if (arrays.validationInputs.empty()) {
        sets.validation = TRY(splitOff(sets.train, share));
        if (auto doubt = doubtOfSplit(sets.train, sets.validation, kArraySplit))
            dataset.warnings.push_back(std::move(*doubt));
    }
    if (sets.train.count == 0)
        return fail(ErrorCode::BadInput, "data.inputs: no sample is left to train on");
    if (arrays.testInputs.empty()) sets.test = noneLike(sets.train);
    describe(facts, sets.train, spec.table.targetScale, dataset);
    return finishDataset(std::move(sets), std::move(dataset), {}, hasNone);
}

}  // namespace lockstep::data
