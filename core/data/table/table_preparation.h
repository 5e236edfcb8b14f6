// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/source_spec.h"
#include "core/data/table/table_reader.h"
#include "core/text/json.h"

namespace lockstep::data {

/// How a column becomes numbers of a sample.
struct PreparedFeature {
    std::string name;
    config::FeatureKind kind = config::FeatureKind::Float;
    config::CategoryOutput output = config::CategoryOutput::OneHot;
    double mean = 0;       ///< Of the training rows.
    double deviation = 1;  ///< What numbers are divided by, where they are normalized.
    /// Categories, the most frequent of the training rows first. The first one has place 1: place 0
    /// is that of all others, as in Keras.
    std::vector<std::string> vocabulary;
    std::size_t offset = 0;  ///< In the sample.

    [[nodiscard]] bool isColumn() const {
        return isCategory(kind) && output == config::CategoryOutput::Int;
    }
    /// Values that its places can take.
    [[nodiscard]] std::size_t places() const { return vocabulary.size() + 1; }
    /// Floats of the sample that it fills.
    [[nodiscard]] std::size_t width() const {
        return isCategory(kind) && !isColumn() ? places() : 1;
    }
    /// Writes the number, or the place of the category, to a sample that is all zeros.
    void fill(double value, std::span<float> sample) const;
};

/// A row as the network takes it, and what was replaced in it.
struct PreparedRow {
    std::vector<float> sample;
    std::vector<std::string> remarks;
};

/// How the rows of a table become samples: numbers first, in the order of data.features, one-hot
/// categories among them; behind them a float for each column of whole numbers. Made from the
/// training rows and kept in checkpoints, so that rows of another day are prepared alike.
class TablePreparation {
public:
    /// BadInput for a column without numbers, or with more categories than can be used.
    [[nodiscard]] static Result<TablePreparation> fit(const RawTable& table,
                                                      std::span<const std::uint32_t> trainingRows,
                                                      const config::TableSpec& spec);
    /// Corrupt where it is not what json() makes.
    [[nodiscard]] static Result<TablePreparation> fromJson(const text::Json& json);
    [[nodiscard]] text::Json json() const;

    [[nodiscard]] const std::vector<PreparedFeature>& features() const { return features_; }
    [[nodiscard]] const std::vector<std::string>& targets() const { return targets_; }
    /// Of a target that is a category: the training rows' values, in order.
    [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }
    [[nodiscard]] double targetScale() const { return targetScale_; }
    [[nodiscard]] std::size_t numbers() const { return numbers_; }  ///< Floats before the columns.
    [[nodiscard]] std::size_t sampleFloats() const { return sampleFloats_; }

    /// Of one row, whose cells are in the order of features(). BadInput for a cell that is no
    /// number, or is empty where nothing takes its place.
    [[nodiscard]] Result<PreparedRow> rowOf(std::span<const std::string_view> cells) const;

private:
    void layOut();

    std::vector<PreparedFeature> features_;
    std::vector<std::string> targets_;
    std::vector<std::string> classes_;
    double targetScale_ = 1;
    bool meanStandsIn_ = false;  ///< For a missing number; unknown is a missing category then.
    std::size_t numbers_ = 0;
    std::size_t sampleFloats_ = 0;
};

}  // namespace lockstep::data
