// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/load_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/finish_dataset.h"
#include "core/data/packed/pack_source.h"
#include "core/data/packed/packed_sets.h"
#include "core/data/problem_list.h"
#include "core/data/table/split_rows.h"
#include "core/data/table/table_preparation.h"
#include "core/data/table/table_reader.h"
#include "core/data/table/table_samples.h"
#include "core/text/json_fields.h"

namespace lockstep::data {

namespace {

using text::Json;

/// Grows whenever the same files give other samples.
constexpr int kFormVersion = 2;
/// Columns of many categories are in there.
constexpr std::size_t kLargestMeaning = std::size_t{1} << 30;

/// By data.on_error: those rows are an error, or left out with a note.
Result<void> reportUnknown(const ProblemList& problems, const config::DataSpec& spec,
                           std::vector<std::string>& notes) {
    if (problems.empty()) return {};
    const std::string sentence =
        fmt::format("data.files: {} {} a category that no training row has: {}",
                    counted(problems.size(), "validation row"),
                    problems.size() == 1 ? "has" : "have", problems.text());
    if (spec.onError == config::OnBrokenImage::Error)
        return fail(ErrorCode::BadInput, sentence,
                    "Set data.on_error to \"skip\" to leave those rows out, or add rows with these "
                    "categories. A feature's max_tokens makes seldom ones unknown.");
    notes.push_back(sentence + "; left out");
    return {};
}

/// What only validation rows are an example of cannot be learnt: rows of a class that no training
/// row has are trained on instead.
void trainOnRareClasses(const RawTable& table, RowSplit& split, std::vector<std::string>& notes) {
    const std::size_t target = table.columns.size() - 1;
    const RawColumn& column = table.columns[target];
    if (!isCategory(column.spec.kind)) return;
    std::vector<bool> isKnown(column.dictionary.size());
    for (const std::uint32_t row : split.training)
        isKnown[table.word(target, row)] = true;
    ProblemList moved;
    std::erase_if(split.validation, [&](std::uint32_t row) {
        const std::uint32_t word = table.word(target, row);
        if (isKnown[word]) return false;
        moved.add(fmt::format("{} {} is \"{}\"", table.placeOf(row), column.spec.name,
                              sanitizeLine(column.dictionary[word], 40)));
        split.training.push_back(row);
        return true;
    });
    if (moved.empty()) return;
    std::ranges::sort(split.training);
    notes.push_back(fmt::format(
        "data.files: {} of a class that no training row has {} trained on, not validated with: {}",
        counted(moved.size(), "row"), moved.size() == 1 ? "is" : "are", moved.text()));
}

/// What the network is told, and what is kept in checkpoints.
void describe(const TablePreparation& preparation, Dataset& dataset) {
    for (const PreparedFeature& feature : preparation.features())
        if (feature.isColumn())
            dataset.facts.columns.push_back(
                {.name = feature.name,
                 .shape = {},
                 .vocabulary = static_cast<std::int64_t>(feature.places())});
    dataset.facts.input = {static_cast<std::int64_t>(preparation.numbers())};
    dataset.facts.classes = static_cast<std::int64_t>(preparation.classes().size());
    dataset.classNames = preparation.classes();
    if (preparation.classes().empty()) {
        dataset.targetNames = preparation.targets();
        dataset.facts.values = static_cast<std::int64_t>(preparation.targets().size());
        dataset.targetScale = preparation.targetScale();
    }
}

Result<void> checkSpec(const config::DataSpec& spec) {
    if (spec.files.empty())
        return fail(ErrorCode::BadInput,
                    "data.files is not set; dataset \"table\" is read from there",
                    "List the CSV files, for example files = [\"houses.csv\"].");
    if (spec.table.targets.empty())
        return fail(ErrorCode::BadInput, "data.target is not set; dataset \"table\" needs it",
                    "Set it to the name of the column that is to be predicted.");
    return {};
}

double shareOf(const config::DataSpec& spec) {
    return spec.validationSplit.value_or(config::kValidationShare);
}

/// How many of these rows, which are in their order, each file holds.
std::vector<std::uint32_t> rowsOfFiles(const RawTable& table,
                                       const std::vector<std::uint32_t>& rows) {
    std::vector<std::uint32_t> counts;
    for (std::size_t file = 0; file < table.files.size(); ++file) {
        const auto first = std::ranges::lower_bound(rows, table.files[file].first);
        const auto end = file + 1 < table.files.size()
                             ? std::ranges::lower_bound(rows, table.files[file + 1].first)
                             : rows.end();
        counts.push_back(static_cast<std::uint32_t>(end - first));
    }
    return counts;
}

/// Writes inputs and targets of the training rows, then of the validation rows.
Result<std::string> packTable(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                              PackedWriter& writer, const LoadWatch& watch) {
    const std::function<ScratchBytes()> scratch = [&writer] { return writer.scratch(); };
    RawTable table = TRY(readTable(spec, jobFolder, scratch, watch));
    auto split = TRY(splitRows(table.rows, shareOf(spec)));
    std::vector<std::string> notes = std::move(table.notes);
    trainOnRareClasses(table, split, notes);
    const auto preparation = TRY(TablePreparation::fit(table, split.training, spec.table));
    const TableSamples samples(table, preparation);
    ProblemList unknown;
    samples.refuseUnknown(split.validation, unknown);
    TRY(reportUnknown(unknown, spec, notes));
    for (const auto& [what, rows] :
         {std::pair{"training", &split.training}, std::pair{"validation", &split.validation}})
        if (const std::uint64_t count = samples.countUnknown(*rows); count > 0)
            notes.push_back(fmt::format("{} rows: {} of categories beyond max_tokens {} as unknown",
                                        what, counted(count, "cell"),
                                        count == 1 ? "counts" : "count"));
    const Split training = TRY(samples.write(split.training, writer));
    const Split validation = TRY(samples.write(split.validation, writer));
    return Json::object({{"training", describeSplit(training)},
                         {"validation", describeSplit(validation)},
                         {"files", Json(rowsOfFiles(table, split.training))},
                         {"preparation", preparation.json().text()},
                         {"notes", Json(notes)}})
        .text();
}

PackedSource sourceOf(const config::DataSpec& spec, const std::filesystem::path& jobFolder) {
    const config::TableSpec& table = spec.table;
    PackedSource source{.name = fmt::format("table {} {} {} {} {}\n", kFormVersion, shareOf(spec),
                                            table.targetScale, static_cast<int>(table.missing),
                                            static_cast<int>(spec.onError)),
                        .files = {}};
    for (const std::string& target : table.targets)
        source.name += "target " + target + "\n";
    for (const config::FeatureSpec& feature : table.features)
        source.name += fmt::format("{} {} {} {}\n", feature.name, static_cast<int>(feature.kind),
                                   feature.maxTokens, static_cast<int>(feature.output));
    for (const std::string& file : spec.files) {
        std::error_code error;
        source.files.push_back(jobFolder / file);
        source.name +=
            std::filesystem::weakly_canonical(source.files.back(), error).string() + "\n";
    }
    return source;
}

}  // namespace

Result<Dataset> loadTable(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                          const std::filesystem::path& cacheFolder, const LoadWatch& watch) {
    TRY(checkSpec(spec));
    Dataset dataset;
    const auto pack = [&](PackedWriter& writer) {
        return packTable(spec, jobFolder, writer, watch);
    };
    const PackedData packed = TRY(packSource(
        spec, jobFolder, cacheFolder, sourceOf(spec, jobFolder), pack, dataset.notes, watch));
    const Json meaning = TRY(text::parseJson(packed.meaning, kLargestMeaning));
    Json training;
    Json validation;
    std::vector<std::string> notes;
    text::JsonFields fields(meaning);
    fields.read("training", training);
    fields.read("validation", validation);
    fields.read("files", dataset.trainFiles);
    fields.read("preparation", dataset.preparation);
    fields.read("notes", notes);
    TRY(fields.checked());
    std::ranges::move(notes, std::back_inserter(dataset.notes));
    const Json preparation = TRY(text::parseJson(dataset.preparation, kLargestMeaning));
    describe(TRY(TablePreparation::fromJson(preparation)), dataset);
    RawSets sets;
    sets.train = TRY(describedSplit(training));
    sets.validation = TRY(describedSplit(validation));
    TRY(attach(sets.train, packed.sections.at(0), packed.sections.at(1)));
    TRY(attach(sets.validation, packed.sections.at(2), packed.sections.at(3)));
    sets.test = noneLike(sets.train);
    return finishDataset(std::move(sets), std::move(dataset));
}

}  // namespace lockstep::data
