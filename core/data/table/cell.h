// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/job/source_spec.h"

namespace lockstep::data {

/// Whether a cell where a number is expected says that there is none: empty, or a word that pandas
/// and R write there ("NA", "NaN", "null", …).
[[nodiscard]] bool saysMissing(std::string_view cell);

/// The number nearest to the decimal one that the cell holds, whatever the locale. BadInput, as
/// what goes on after a name ("is \"3,5\", which is no number").
[[nodiscard]] Result<double> parseNumber(std::string_view cell);

/// The same of a whole number; "3.0" is one, too.
[[nodiscard]] Result<std::int64_t> parseWhole(std::string_view cell);

[[nodiscard]] inline bool isCategory(config::FeatureKind kind) {
    return kind == config::FeatureKind::IntegerCategorical ||
           kind == config::FeatureKind::StringCategorical;
}

/// A cell as its column takes it.
struct CellValue {
    bool isMissing = false;
    double number = 0;   ///< Of numbers.
    std::string word{};  ///< Of categories; whole numbers in one form.
};

/// BadInput, beginning with the column's `name`.
[[nodiscard]] Result<CellValue> valueOfCell(std::string_view cell, config::FeatureKind kind,
                                            std::string_view name);

}  // namespace lockstep::data
