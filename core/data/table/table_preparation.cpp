// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/table_preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/text.h"
#include "core/base/try.h"

namespace lockstep::data {

namespace {

using config::FeatureKind;

constexpr std::size_t kMostClasses = 65'535;
constexpr std::size_t kWidestOneHot = 10'000;

/// Mean and deviation of the training rows; a missing number counts as their mean.
Result<void> measure(const RawTable& table, std::size_t column, std::span<const std::uint32_t> rows,
                     PreparedFeature& feature) {
    double sum = 0;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    std::size_t present = 0;
    for (const std::uint32_t row : rows) {
        const double number = table.number(column, row);
        if (std::isnan(number)) continue;
        sum += number;
        lowest = std::min(lowest, number);
        highest = std::max(highest, number);
        ++present;
    }
    if (present == 0)
        return fail(
            ErrorCode::BadInput,
            fmt::format("data.features: {} has no number in the training rows", feature.name),
            "Leave the column out.");
    // What is the same everywhere is zero: it has nothing to tell. Its sum is rounded, and would
    // leave a deviation of rounding errors.
    if (lowest == highest) {
        feature.mean = lowest;
        feature.deviation = 1;
        return {};
    }
    feature.mean = sum / static_cast<double>(present);
    if (feature.kind != FeatureKind::FloatNormalized) return {};
    double squares = 0;
    for (const std::uint32_t row : rows) {
        const double number = table.number(column, row);
        if (!std::isnan(number)) squares += (number - feature.mean) * (number - feature.mean);
    }
    const double deviation = std::sqrt(squares / static_cast<double>(rows.size()));
    feature.deviation = deviation > 0 && std::isfinite(1 / deviation) ? deviation : 1;
    return {};
}

bool isBefore(FeatureKind kind, const std::string& a, const std::string& b) {
    // Whole numbers have no leading zeros: the shorter one is the smaller one.
    if (kind != FeatureKind::IntegerCategorical) return a < b;
    const bool aMinus = a.starts_with('-');
    if (aMinus != b.starts_with('-')) return aMinus;
    const bool isShorter = a.size() != b.size() ? a.size() < b.size() : a < b;
    return a != b && isShorter != aMinus;
}

/// The categories of the training rows, the most frequent ones first.
std::vector<std::string> frequentWords(const RawTable& table, std::size_t index,
                                       std::span<const std::uint32_t> rows) {
    const RawColumn& column = table.columns[index];
    std::vector<std::uint64_t> counts(column.dictionary.size());
    for (const std::uint32_t row : rows)
        if (const std::uint32_t word = table.word(index, row); word != RawColumn::kNoWord)
            ++counts[word];
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&counts](std::size_t word) { return counts[word] == 0; });
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        if (counts[a] != counts[b]) return counts[a] > counts[b];
        return isBefore(column.spec.kind, column.dictionary[a], column.dictionary[b]);
    });
    std::vector<std::string> words;
    for (const std::size_t word : order)
        words.push_back(column.dictionary[word]);
    return words;
}

/// As with Keras, the place of all others counts as one of max_tokens.
Result<void> learnCategories(const RawTable& table, std::size_t column,
                             std::span<const std::uint32_t> rows, PreparedFeature& feature) {
    feature.vocabulary = frequentWords(table, column, rows);
    const int most = table.columns[column].spec.maxTokens;
    if (most > 0 && feature.places() > static_cast<std::size_t>(most))
        feature.vocabulary.resize(static_cast<std::size_t>(most) - 1);
    if (!feature.isColumn() && feature.places() > kWidestOneHot)
        return fail(ErrorCode::BadInput,
                    fmt::format("data.features: {} has {} categories, too many for one_hot",
                                feature.name, feature.vocabulary.size()),
                    "Set its output_mode to \"int\" and give it an embedding, or set max_tokens.");
    return {};
}

Result<std::vector<std::string>> learnClasses(const RawTable& table, std::size_t index,
                                              std::span<const std::uint32_t> rows) {
    const RawColumn& column = table.columns[index];
    std::vector<std::string> classes = frequentWords(table, index, rows);
    std::ranges::sort(classes, [&column](const std::string& a, const std::string& b) {
        return isBefore(column.spec.kind, a, b);
    });
    if (classes.size() < 2 || classes.size() > kMostClasses)
        return fail(ErrorCode::BadInput,
                    fmt::format("data.target: {} has {} different values in the training rows, and "
                                "classes are from 2 to {}",
                                column.spec.name, classes.size(), kMostClasses),
                    classes.size() < 2 ? "Choose a column that tells the rows apart."
                                       : "Take it out of data.features: a number is predicted as "
                                         "such.");
    return classes;
}

}  // namespace

void PreparedFeature::fill(double value, std::span<float> sample) const {
    if (kind == FeatureKind::FloatNormalized)
        sample[offset] = static_cast<float>((value - mean) / deviation);
    else if (!isCategory(kind) || isColumn())
        sample[offset] = static_cast<float>(value);
    else
        sample[offset + static_cast<std::size_t>(value)] = 1;
}

Result<TablePreparation> TablePreparation::fit(const RawTable& table,
                                               std::span<const std::uint32_t> trainingRows,
                                               const config::TableSpec& spec) {
    TablePreparation made;
    made.targetScale_ = spec.targetScale;
    made.meanStandsIn_ = spec.missing == config::OnMissing::Mean;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const RawColumn& column = table.columns[i];
        if (column.isTarget) {
            made.targets_.push_back(column.spec.name);
            if (isCategory(column.spec.kind))
                made.classes_ = TRY(learnClasses(table, i, trainingRows));
            continue;
        }
        PreparedFeature feature{.name = column.spec.name,
                                .kind = column.spec.kind,
                                .output = column.spec.output,
                                .vocabulary = {}};
        if (isCategory(feature.kind))
            TRY(learnCategories(table, i, trainingRows, feature));
        else
            TRY(measure(table, i, trainingRows, feature));
        made.features_.push_back(std::move(feature));
    }
    made.layOut();
    return made;
}

void TablePreparation::layOut() {
    std::size_t at = 0;
    for (const bool columns : {false, true}) {
        for (PreparedFeature& feature : features_)
            if (feature.isColumn() == columns) {
                feature.offset = at;
                at += feature.width();
            }
        if (!columns) numbers_ = at;
    }
    sampleFloats_ = at;
}

Result<PreparedRow> TablePreparation::rowOf(std::span<const std::string_view> cells) const {
    PreparedRow row{std::vector<float>(sampleFloats_), {}};
    for (std::size_t i = 0; i < features_.size(); ++i) {
        const PreparedFeature& feature = features_[i];
        const auto value = TRY(valueOfCell(cells[i], feature.kind, feature.name));
        if (value.isMissing && !meanStandsIn_)
            return fail(ErrorCode::BadInput, fmt::format("{} is missing", feature.name),
                        "Fill it in; the job says missing = \"mean\" where a mean may stand in.");
        double number = value.isMissing ? feature.mean : value.number;
        if (isCategory(feature.kind)) {
            const auto known = std::ranges::find(feature.vocabulary, value.word);
            const bool isKnown = !value.isMissing && known != feature.vocabulary.end();
            number = isKnown ? static_cast<double>(known - feature.vocabulary.begin() + 1) : 0;
            if (!isKnown && !value.isMissing)
                row.remarks.push_back(
                    fmt::format("{} is \"{}\", which is no category of the "
                                "training rows: it counts as unknown",
                                feature.name, sanitizeLine(value.word, 40)));
        }
        if (value.isMissing)
            row.remarks.push_back(fmt::format("{} is missing: {}", feature.name,
                                              isCategory(feature.kind)
                                                  ? "it counts as unknown"
                                                  : fmt::format("{} stands in", feature.mean)));
        feature.fill(number, row.sample);
    }
    return row;
}

}  // namespace lockstep::data
