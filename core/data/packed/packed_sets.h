// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/packed/packed_file.h"
#include "core/data/raw_sets.h"
#include "core/text/json.h"

namespace lockstep::data {

/// What a split is, without its bytes.
[[nodiscard]] text::Json describeSplit(const Split& split);
/// A split as it was described, without bytes. Corrupt for what describeSplit() does not give.
[[nodiscard]] Result<Split> describedSplit(const text::Json& json);
/// Gives it its bytes. Corrupt where they are not as many as it says.
[[nodiscard]] Result<void> attach(Split& split, SharedBytes inputs, SharedBytes targets);

/// What sets are, as a meaning: inputs and targets of each are a section, first of the training
/// set, then of the test set and of the validation set.
[[nodiscard]] std::string describeSets(const RawSets& sets);
/// Writes sets that are in memory, and gives that.
[[nodiscard]] Result<std::string> packSets(const RawSets& sets, PackedWriter& writer);
/// The sets of that.
[[nodiscard]] Result<RawSets> packedSets(const PackedData& data);

}  // namespace lockstep::data
