// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/data/dataset.h"

namespace lockstep::data {

/// Of `samples`, how many validate: the nearest whole number, at least one where `share` is above
/// 0. BadInput where none would be left to train on.
[[nodiscard]] Result<std::uint32_t> validationCount(std::uint32_t samples, double share);

/// What is said where a split is doubted.
struct SplitWords {
    const char* key = "data.validation_split";  ///< That decides how many samples validate.
    const char* remedy = "";
};

/// Whether samples that were taken off the end of a set of classes look as if the set was sorted:
/// of a class that is not trained on, or none of one that there are many of. BadInput, in words.
[[nodiscard]] std::optional<Error> doubtOfSplit(const Split& train, const Split& validation,
                                                const SplitWords& words);

}  // namespace lockstep::data
