// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/load_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/finish_dataset.h"
#include "core/data/problem_list.h"
#include "core/data/table/split_rows.h"
#include "core/data/table/table_preparation.h"
#include "core/data/table/table_reader.h"

namespace lockstep::data {

namespace {

constexpr std::uint32_t kUnknown = 0;

/// Words of a column's dictionary to places in `known`, from `first`; kNoPlace: not in there.
class Places {
public:
    static constexpr std::uint32_t kNoPlace = UINT32_MAX;

    Places(const RawColumn& column, const std::vector<std::string>& known, std::uint32_t first) {
        std::unordered_map<std::string_view, std::uint32_t> index;
        for (const std::string& word : known)
            index.emplace(word, first + static_cast<std::uint32_t>(index.size()));
        for (const std::string& word : column.dictionary) {
            const auto found = index.find(word);
            places_.push_back(found == index.end() ? kNoPlace : found->second);
        }
    }
    [[nodiscard]] std::uint32_t of(std::uint32_t word) const { return places_[word]; }

private:
    std::vector<std::uint32_t> places_;
};

/// Makes samples of rows.
class TableSamples {
public:
    TableSamples(const RawTable& table, const TablePreparation& preparation)
        : table_(table), preparation_(preparation) {
        const auto& features = preparation.features();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const RawColumn& column = table.columns[i];
            static const std::vector<std::string> kNone;
            const bool isFeature = i < features.size();
            const auto& known = !isCategory(column.spec.kind) ? kNone
                                : isFeature                   ? features[i].vocabulary
                                                              : preparation.classes();
            places_.emplace_back(column, known, isFeature ? 1 : 0);
        }
    }

    /// Leaves out the rows with a category that no training row has, and names them.
    void refuseUnknown(std::vector<std::uint32_t>& rows, ProblemList& problems) const {
        std::erase_if(rows, [&](std::uint32_t row) {
            for (std::size_t i = 0; i < table_.columns.size(); ++i) {
                const RawColumn& column = table_.columns[i];
                if (!isCategory(column.spec.kind) || !isUnknown(i, row) ||
                    (!column.isTarget && column.spec.maxTokens > 0))
                    continue;
                problems.add(fmt::format("{} {} is \"{}\"", table_.placeOf(row), column.spec.name,
                                         sanitizeLine(column.dictionary[column.words[row]], 40)));
                return true;
            }
            return false;
        });
    }

    /// Cells of these rows whose category has no place of its own.
    [[nodiscard]] std::uint64_t countUnknown(const std::vector<std::uint32_t>& rows) const {
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < preparation_.features().size(); ++i)
            if (isCategory(table_.columns[i].spec.kind))
                count += static_cast<std::uint64_t>(std::ranges::count_if(
                    rows, [&](std::uint32_t row) { return isUnknown(i, row); }));
        return count;
    }

    [[nodiscard]] Split make(const std::vector<std::uint32_t>& rows) const {
        Split split;
        split.count = static_cast<std::uint32_t>(rows.size());
        split.inputKind = InputKind::Floats;
        split.shape = {static_cast<std::int64_t>(preparation_.numbers())};
        split.extras =
            static_cast<std::uint32_t>(preparation_.sampleFloats() - preparation_.numbers());
        split.inputs = ownedBytes(inputsOf(rows));
        if (!preparation_.classes().empty()) {
            split.targetKind = TargetKind::Class;
            split.targets = ownedBytes(labelsOf(rows));
        } else {
            split.targetKind = TargetKind::Values;
            split.valuesPerSample = static_cast<std::uint32_t>(preparation_.targets().size());
            split.targets = ownedBytes(valuesOf(rows));
        }
        return split;
    }

private:
    [[nodiscard]] bool isUnknown(std::size_t column, std::uint32_t row) const {
        const std::uint32_t word = table_.columns[column].words[row];
        return word != RawColumn::kNoWord && places_[column].of(word) == Places::kNoPlace;
    }

    [[nodiscard]] double featureOf(std::size_t i, std::uint32_t row) const {
        const RawColumn& column = table_.columns[i];
        if (!isCategory(column.spec.kind))
            return std::isnan(column.numbers[row]) ? preparation_.features()[i].mean
                                                   : column.numbers[row];
        const std::uint32_t word = column.words[row];
        return word == RawColumn::kNoWord || isUnknown(i, row) ? kUnknown : places_[i].of(word);
    }

    [[nodiscard]] std::vector<float> inputsOf(const std::vector<std::uint32_t>& rows) const {
        const std::size_t width = preparation_.sampleFloats();
        std::vector<float> inputs(rows.size() * width);
        for (std::size_t i = 0; i < preparation_.features().size(); ++i)
            for (std::size_t row = 0; row < rows.size(); ++row)
                preparation_.features()[i].fill(featureOf(i, rows[row]),
                                                std::span(inputs).subspan(row * width, width));
        return inputs;
    }

    [[nodiscard]] std::vector<std::uint16_t> labelsOf(
        const std::vector<std::uint32_t>& rows) const {
        const std::size_t target = table_.columns.size() - 1;
        std::vector<std::uint16_t> labels;
        for (const std::uint32_t row : rows)
            labels.push_back(
                static_cast<std::uint16_t>(places_[target].of(table_.columns[target].words[row])));
        return labels;
    }

    [[nodiscard]] std::vector<float> valuesOf(const std::vector<std::uint32_t>& rows) const {
        std::vector<float> values;
        const std::size_t first = preparation_.features().size();
        for (const std::uint32_t row : rows)
            for (std::size_t i = first; i < table_.columns.size(); ++i)
                values.push_back(static_cast<float>(table_.columns[i].numbers[row] *
                                                    preparation_.targetScale()));
        return values;
    }

    const RawTable& table_;
    const TablePreparation& preparation_;
    std::vector<Places> places_;  ///< Of each column; empty for numbers.
};

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
                    "categories. A feature's max_tokens makes seldom ones unknown; a target has to "
                    "know all of its classes.");
    notes.push_back(sentence + "; left out");
    return {};
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
    dataset.preparation = preparation.json().text();
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

}  // namespace

Result<Dataset> loadTable(const config::DataSpec& spec, const std::filesystem::path& jobFolder) {
    TRY(checkSpec(spec));
    RawTable table = TRY(readTable(spec, jobFolder));
    auto split =
        TRY(splitRows(table.rows, spec.validationSplit.value_or(config::kValidationShare)));
    const auto preparation = TRY(TablePreparation::fit(table, split.training, spec.table));
    const TableSamples samples(table, preparation);
    Dataset dataset;
    dataset.notes = std::move(table.notes);
    ProblemList unknown;
    samples.refuseUnknown(split.validation, unknown);
    TRY(reportUnknown(unknown, spec, dataset.notes));
    for (const auto& [what, rows] :
         {std::pair{"training", &split.training}, std::pair{"validation", &split.validation}})
        if (const std::uint64_t count = samples.countUnknown(*rows); count > 0)
            dataset.notes.push_back(
                fmt::format("{} rows: {} of categories beyond max_tokens {} as unknown", what,
                            counted(count, "cell"), count == 1 ? "counts" : "count"));
    describe(preparation, dataset);
    RawSets sets;
    sets.train = samples.make(split.training);
    sets.validation = samples.make(split.validation);
    sets.test = noneLike(sets.train);
    return finishDataset(std::move(sets), std::move(dataset));
}

}  // namespace lockstep::data
