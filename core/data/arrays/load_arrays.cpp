// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/load_arrays.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/arrays/array_samples.h"
#include "core/data/arrays/array_source.h"
#include "core/data/finish_dataset.h"
#include "core/data/validation_split.h"

namespace lockstep::data {

namespace {

/// Arrays of a set, where the job names them.
struct SetNames {
    const char* inputsKey;
    const char* targetsKey;
    const std::string& inputs;
    const std::string& targets;
};

Result<std::optional<ArrayPair>> openPair(const SetNames& names,
                                          const std::filesystem::path& jobFolder) {
    if (names.inputs.empty() && names.targets.empty()) return std::nullopt;
    const auto lacks = [](const char* key, const char* other) {
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is not set, and {} is nothing without it", key, other),
                    "Set it to a .npy file, or to FILE.npz:NAME.");
    };
    if (names.inputs.empty()) return lacks(names.inputsKey, names.targetsKey);
    if (names.targets.empty()) return lacks(names.targetsKey, names.inputsKey);
    ArrayPair pair{names.inputsKey, names.targetsKey,
                   TRY(openArray(names.inputsKey, names.inputs, jobFolder)),
                   TRY(openArray(names.targetsKey, names.targets, jobFolder))};
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

}  // namespace

Result<Dataset> loadArrays(const config::DataSpec& spec, const std::filesystem::path& jobFolder) {
    const config::ArraysSpec& arrays = spec.arrays;
    const auto train =
        TRY(openPair({"data.inputs", "data.targets", arrays.inputs, arrays.targets}, jobFolder));
    if (!train)
        return fail(ErrorCode::BadInput,
                    "data.inputs is not set; dataset \"arrays\" is read from there",
                    "Set it to a .npy file, or to FILE.npz:NAME.");
    const auto validation = TRY(openPair({"data.validation_inputs", "data.validation_targets",
                                          arrays.validationInputs, arrays.validationTargets},
                                         jobFolder));
    const auto test = TRY(
        openPair({"data.test_inputs", "data.test_targets", arrays.testInputs, arrays.testTargets},
                 jobFolder));
    Dataset dataset;
    RawSets sets;
    ProblemList problems;
    ArrayFacts facts;
    const double scale = spec.table.targetScale;
    sets.train = TRY(samplesOf(*train, scale, problems, facts));
    for (const auto& [pair, split] :
         {std::pair{&validation, &sets.validation}, std::pair{&test, &sets.test}}) {
        if (!*pair) continue;
        TRY(checkAlike(*train, **pair));
        *split = TRY(samplesOf(**pair, scale, problems, facts));
    }
    TRY(reportProblems(problems, spec, dataset.notes));
    if (!validation)
        sets.validation =
            TRY(splitOff(sets.train, spec.validationSplit.value_or(config::kValidationShare)));
    if (sets.train.count == 0)
        return fail(ErrorCode::BadInput, "data.inputs: no sample is left to train on");
    if (!test) sets.test = noneLike(sets.train);
    describe(facts, sets.train, scale, dataset);
    return finishDataset(std::move(sets), std::move(dataset));
}

}  // namespace lockstep::data
