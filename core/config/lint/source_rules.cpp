// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/source_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/text.h"
#include "core/config/job/data_sources.h"

namespace lockstep::config {

namespace {

bool isCategorical(FeatureKind kind) {
    return kind == FeatureKind::IntegerCategorical || kind == FeatureKind::StringCategorical;
}

void missing(Report& report, const char* key, std::string_view dataset, std::string_view what,
             const char* remedy) {
    report.errorNear(
        key, "data.dataset",
        fmt::format("{} is missing, but the data set \"{}\" needs it: {}", key, dataset, what),
        remedy);
}

/// A target among the features tells the network the answer; only a single category may be there.
void checkTargets(const TableSpec& table, Report& report) {
    for (const std::string& target : table.targets) {
        const auto feature = std::ranges::find(table.features, target, &FeatureSpec::name);
        if (feature == table.features.end()) continue;
        const std::string shown = sanitizeLine(target, 80);
        if (!isCategorical(feature->kind))
            report.error("data.features." + target,
                         fmt::format("data.features names {}, which is the target: the network "
                                     "would be told the answer",
                                     shown),
                         "Remove that line.");
        else if (table.targets.size() > 1)
            report.error("data.features." + target,
                         fmt::format("data.features calls {} categorical, which makes it classes, "
                                     "but there are {} targets",
                                     shown, table.targets.size()),
                         "Name that target alone, or remove the line.");
    }
    for (std::size_t i = 0; i < table.targets.size(); ++i)
        if (std::count(table.targets.begin(), table.targets.end(), table.targets[i]) > 1) {
            report.error("data.target", "data.target names a column twice", "Name it once.");
            return;
        }
}

void checkTable(const DataSpec& data, Report& report) {
    const TableSpec& table = data.table;
    if (data.files.empty())
        missing(report, "data.files", data.dataset, "it lists the CSV files",
                "Add for example files = [\"houses.csv\"].");
    if (table.targets.empty() && data.arrays.targets.empty())
        missing(report, "data.target", data.dataset, "it names the column to predict",
                "Add for example target = \"price\".");
    else if (table.targets.empty())
        report.error("data.targets",
                     "data.targets names an array, and the column that is predicted is data.target",
                     "Write target instead of targets.");
    const bool hasFeature = std::ranges::any_of(table.features, [&table](const FeatureSpec& one) {
        return std::ranges::find(table.targets, one.name) == table.targets.end();
    });
    if (table.features.empty())
        missing(report, "data.features", data.dataset, "it names the columns to learn from",
                "Add [data.features] and a line for each, for example income = "
                "\"float_normalized\".");
    else if (!hasFeature)
        report.error("data.features", "data.features names no column but the target",
                     "Add the columns to learn from.");
    checkTargets(table, report);
    for (const std::string& file : data.files)
        if (file.ends_with(".parquet"))
            report.error("data.files",
                         fmt::format("data.files names {}, and Parquet is not read",
                                     sanitizeLine(file, 120)),
                         "Write it as CSV, for example with pandas: "
                         "read_parquet(…).to_csv(…, index=False).");
}

void checkText(const DataSpec& data, Report& report) {
    if (data.files.empty())
        missing(report, "data.files", data.dataset, "it lists the text files",
                "Add for example files = [\"book.txt\"].");
    if (data.text.sequenceLength == 0)
        missing(report, "data.sequence_length", data.dataset, "it is the tokens of a sample",
                "Add for example sequence_length = 64.");
    const std::string& name = data.text.tokenizer;
    const auto meant = nearestName(name, std::array<std::string, 2>{"bytes", "characters"});
    if (name.find_first_of("./") == std::string::npos && meant && *meant != name)
        report.error("data.tokenizer",
                     fmt::format("data.tokenizer is \"{}\", did you mean {}?",
                                 sanitizeLine(name, 80), *meant),
                     "Use \"bytes\", \"characters\", or the path of a SentencePiece model.");
}

void checkArrays(const DataSpec& data, Report& report) {
    const ArraysSpec& arrays = data.arrays;
    if (arrays.inputs.empty())
        missing(report, "data.inputs", data.dataset, "it names the samples",
                "Add for example inputs = \"train.npz:x\".");
    if (arrays.targets.empty())
        missing(report, "data.targets", data.dataset, "it names what belongs to the samples",
                "Add for example targets = \"train.npz:y\".");
    struct Pair {
        const char* key;
        const std::string& value;
        const char* otherKey;
        const std::string& other;
    };
    const std::array<Pair, 4> pairs = {{
        {"data.validation_inputs", arrays.validationInputs, "data.validation_targets",
         arrays.validationTargets},
        {"data.validation_targets", arrays.validationTargets, "data.validation_inputs",
         arrays.validationInputs},
        {"data.test_inputs", arrays.testInputs, "data.test_targets", arrays.testTargets},
        {"data.test_targets", arrays.testTargets, "data.test_inputs", arrays.testInputs},
    }};
    for (const Pair& pair : pairs)
        if (!pair.value.empty() && pair.other.empty())
            report.error(pair.key, fmt::format("{} is given without {}", pair.key, pair.otherKey),
                         fmt::format("Add {}, or remove {}.", pair.otherKey, pair.key));
}

/// What is split off no training set because there are validation samples.
void checkSplitIsUsed(const DataSpec& data, Report& report) {
    if (!data.validationSplit || data.arrays.validationInputs.empty()) return;
    report.warning("data.validation_split",
                   fmt::format("data.validation_split is {}, but data.validation_inputs is given: "
                               "its samples are the validation set, and all others are trained on",
                               *data.validationSplit),
                   "Remove one of the two.");
}

bool hasTestOfItsOwn(const DataSpec& data) {
    return data.dataset == "arrays" && !data.arrays.testInputs.empty();
}

void checkWhatIsTestedOn(const JobSpec& spec, Report& report) {
    const DataSpec& data = spec.data;
    const bool splits = data.validationSplit.value_or(kValidationShare) > 0 ||
                        !data.arrays.validationInputs.empty();
    if (hasTestOfItsOwn(data) || splits) return;
    if (data.dataset == "arrays" && !spec.cluster.evaluator)
        report.warning("data.validation_split",
                       "data.validation_split is 0, and no test data are given: the network is "
                       "neither validated nor tested",
                       "Set it, for example to 0.1, or name test data.");
    else
        report.error("data.validation_split",
                     "data.validation_split is 0, and no test data are given: there is nothing to "
                     "test on",
                     "Set it, for example to 0.1.");
}

struct Use {
    const char* key;
    bool isGiven;
    std::vector<std::string_view> datasets;  ///< That read it.
};

std::vector<Use> usesOf(const DataSpec& data) {
    const DataSpec defaults;
    const std::vector<std::string_view> table = {"table"};
    const std::vector<std::string_view> text = {"text"};
    const std::vector<std::string_view> arrays = {"arrays"};
    return {
        {"data.files", !data.files.empty(), {"table", "text"}},
        {"data.target", !data.table.targets.empty(), table},
        {"data.target_scale", data.table.targetScale != 1, {"table", "arrays"}},
        {"data.missing", data.table.missing != OnMissing::Error, table},
        {"data.features", !data.table.features.empty(), table},
        {"data.tokenizer", data.text.tokenizer != defaults.text.tokenizer, text},
        {"data.sequence_length", data.text.sequenceLength != 0, text},
        {"data.inputs", !data.arrays.inputs.empty(), arrays},
        {"data.targets", !data.arrays.targets.empty() && data.dataset != "table", arrays},
        {"data.validation_inputs", !data.arrays.validationInputs.empty(), arrays},
        {"data.validation_targets", !data.arrays.validationTargets.empty(), arrays},
        {"data.test_inputs", !data.arrays.testInputs.empty(), arrays},
        {"data.test_targets", !data.arrays.testTargets.empty(), arrays},
        {"data.directory", !data.directory.empty(), {"digits", "mnist", "idx", "image_folder"}},
        {"data.cache",
         data.cache != defaults.cache,
         {"digits", "mnist", "idx", "image_folder", "table", "text", "arrays"}},
        {"data.on_error", data.onError != defaults.onError, {"image_folder", "table", "arrays"}},
    };
}

}  // namespace

void checkSources(const JobSpec& spec, Report& report) {
    const DataSpec& data = spec.data;
    if (data.dataset == "table") checkTable(data, report);
    if (data.dataset == "text") checkText(data, report);
    if (data.dataset == "arrays") {
        checkArrays(data, report);
        checkSplitIsUsed(data, report);
    }
    if (namesFiles(data.dataset)) checkWhatIsTestedOn(spec, report);
}

void checkSourceKeysAreUsed(const JobSpec& spec, Report& report) {
    const DataSpec& data = spec.data;
    for (const Use& use : usesOf(data)) {
        const bool isRead = std::ranges::find(use.datasets, data.dataset) != use.datasets.end();
        if (!use.isGiven || isRead) continue;
        report.warning(use.key,
                       fmt::format("{} is given, but the data set is \"{}\", which ignores it",
                                   use.key, data.dataset),
                       "Remove it.");
    }
    if (!report.isWritten("data.validation_samples") ||
        data.validationSamples == DataSpec{}.validationSamples)
        return;
    if (namesFiles(data.dataset))
        report.warning("data.validation_samples",
                       fmt::format("data.validation_samples is given, but the data set \"{}\" is "
                                   "split by data.validation_split",
                                   data.dataset),
                       "Set data.validation_split instead.");
    else if (data.validationSplit)
        report.warning("data.validation_samples",
                       "data.validation_samples and data.validation_split are given: the latter "
                       "counts",
                       "Remove one of the two.");
}

}  // namespace lockstep::config
