// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/train/replica/evaluation.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// A figure of numbers that are predicted: errors that are infinite or no number.
inline constexpr std::string_view kNotFiniteFigure = "errors_not_finite";

/// A split with all that the Evaluator page shows: loss, accuracy and metrics; of classes the
/// accuracy of each, which are taken for which, and `samples` predictions, the hardest (largest
/// loss) first, the last third of them spread over the split, so that the easy ones are seen too;
/// of numbers what was predicted for some hundred samples, and how far off all are, in the targets'
/// own unit; of text a continuation that the network writes. Within a record's bounds: what is left
/// out is counted. `split` is one of `data`.
[[nodiscard]] Result<wire::Evaluation> evaluateSplit(SplitEvaluator& evaluator,
                                                     const Weights& weights,
                                                     const data::Dataset& data,
                                                     const data::Split& split, std::size_t samples);

}  // namespace lockstep::train
