// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/table_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "core/base/text.h"
#include "core/base/try.h"

namespace lockstep::data {

namespace {

constexpr std::uint32_t kUnknown = 0;

std::vector<std::uint32_t> placesOf(const RawColumn& column, const std::vector<std::string>& known,
                                    std::uint32_t first, std::uint32_t none) {
    std::unordered_map<std::string_view, std::uint32_t> index;
    for (const std::string& word : known)
        index.emplace(word, first + static_cast<std::uint32_t>(index.size()));
    std::vector<std::uint32_t> places;
    for (const std::string& word : column.dictionary) {
        const auto found = index.find(word);
        places.push_back(found == index.end() ? none : found->second);
    }
    return places;
}

}  // namespace

TableSamples::TableSamples(const RawTable& table, const TablePreparation& preparation)
    : table_(table), preparation_(preparation) {
    const auto& features = preparation.features();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const RawColumn& column = table.columns[i];
        const bool isFeature = i < features.size();
        if (isCategory(column.spec.kind))
            places_.push_back(placesOf(column,
                                       isFeature ? features[i].vocabulary : preparation.classes(),
                                       isFeature ? 1 : 0, kNoPlace));
        else
            places_.emplace_back();
    }
}

bool TableSamples::isUnknown(std::size_t column, std::uint32_t row) const {
    const std::uint32_t word = table_.word(column, row);
    return word != RawColumn::kNoWord && places_[column][word] == kNoPlace;
}

void TableSamples::refuseUnknown(std::vector<std::uint32_t>& rows, ProblemList& problems) const {
    std::erase_if(rows, [&](std::uint32_t row) {
        for (std::size_t i = 0; i < table_.columns.size(); ++i) {
            const RawColumn& column = table_.columns[i];
            if (!isCategory(column.spec.kind) || !isUnknown(i, row) ||
                (!column.isTarget && column.spec.maxTokens > 0))
                continue;
            problems.add(fmt::format("{} {} is \"{}\"", table_.placeOf(row), column.spec.name,
                                     sanitizeLine(column.dictionary[table_.word(i, row)], 40)));
            return true;
        }
        return false;
    });
}

std::uint64_t TableSamples::countUnknown(const std::vector<std::uint32_t>& rows) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < preparation_.features().size(); ++i)
        if (isCategory(table_.columns[i].spec.kind))
            count += static_cast<std::uint64_t>(
                std::ranges::count_if(rows, [&](std::uint32_t row) { return isUnknown(i, row); }));
    return count;
}

Result<Split> TableSamples::write(const std::vector<std::uint32_t>& rows,
                                  PackedWriter& writer) const {
    Split split;
    split.count = static_cast<std::uint32_t>(rows.size());
    split.inputKind = InputKind::Floats;
    split.shape = {static_cast<std::int64_t>(preparation_.numbers())};
    split.extras = static_cast<std::uint32_t>(preparation_.sampleFloats() - preparation_.numbers());
    TRY(writeInputs(rows, writer));
    if (!preparation_.classes().empty()) {
        split.targetKind = TargetKind::Class;
        TRY(writeLabels(rows, writer));
        return split;
    }
    split.targetKind = TargetKind::Values;
    split.valuesPerSample = static_cast<std::uint32_t>(preparation_.targets().size());
    TRY(writeValues(rows, writer));
    return split;
}

double TableSamples::featureOf(std::size_t i, std::uint32_t row) const {
    if (!isCategory(table_.columns[i].spec.kind)) {
        const double number = table_.number(i, row);
        return std::isnan(number) ? preparation_.features()[i].mean : number;
    }
    const std::uint32_t word = table_.word(i, row);
    return word == RawColumn::kNoWord || isUnknown(i, row) ? kUnknown : places_[i][word];
}

Result<void> TableSamples::writeInputs(const std::vector<std::uint32_t>& rows,
                                       PackedWriter& writer) const {
    std::vector<float> sample(preparation_.sampleFloats());
    for (const std::uint32_t row : rows) {
        std::ranges::fill(sample, 0.0F);
        for (std::size_t i = 0; i < preparation_.features().size(); ++i) {
            const PreparedFeature& feature = preparation_.features()[i];
            const double value = featureOf(i, row);
            feature.fill(value, sample);
            if (feature.kind != config::FeatureKind::FloatNormalized ||
                std::isfinite(sample[feature.offset]))
                continue;
            return fail(ErrorCode::BadInput,
                        fmt::format("data.files: {} {} is {}, and less the training rows' mean {}, "
                                    "divided by their deviation {}, it is no number of float32",
                                    table_.placeOf(row), feature.name, value, feature.mean,
                                    feature.deviation),
                        "Mend the cell, or take the column as \"float\".");
        }
        TRY(writer.appendNumbers(std::span<const float>(sample)));
    }
    return writer.endSection();
}

Result<void> TableSamples::writeLabels(const std::vector<std::uint32_t>& rows,
                                       PackedWriter& writer) const {
    const std::size_t target = table_.columns.size() - 1;
    for (const std::uint32_t row : rows) {
        const auto label = static_cast<std::uint16_t>(places_[target][table_.word(target, row)]);
        TRY(writer.appendNumbers(std::span(&label, 1)));
    }
    return writer.endSection();
}

Result<void> TableSamples::writeValues(const std::vector<std::uint32_t>& rows,
                                       PackedWriter& writer) const {
    for (const std::uint32_t row : rows)
        for (std::size_t i = preparation_.features().size(); i < table_.columns.size(); ++i) {
            const double number = table_.number(i, row);
            const auto value = static_cast<float>(number * preparation_.targetScale());
            if (!std::isfinite(value))
                return fail(
                    ErrorCode::BadInput,
                    fmt::format("data.target_scale is {}, and {} of {} is {}: their product "
                                "is beyond float32, whose largest number is {:.3g}",
                                preparation_.targetScale(), table_.columns[i].spec.name,
                                table_.placeOf(row), number, std::numeric_limits<float>::max()),
                    "Choose a data.target_scale that brings the targets near 1.");
            TRY(writer.appendNumbers(std::span(&value, 1)));
        }
    return writer.endSection();
}

}  // namespace lockstep::data
