// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/dataset.h"

namespace lockstep::data {

/// Sets as they come from a source, before validation samples are split off. All have inputs and
/// targets of the same kind and shape.
struct RawSets {
    Split train;
    Split test;          ///< count 0 where the validation set is the test set.
    Split validation{};  ///< count 0 where the source has none of its own.
};

/// Labels below 256 as one byte each, otherwise as two: how fingerprints and files hold them.
[[nodiscard]] std::vector<std::uint8_t> packedLabels(const Split& split);

/// XXH3-128 of sizes, inputs and targets of the splits in order, 32 hexadecimal digits.
[[nodiscard]] std::string fingerprintOf(const std::vector<const Split*>& splits);

/// The data set of these, with its fingerprint and the shape of its input. Without validation
/// samples of the source's own, the last `validationSamples` of the training samples are taken.
/// Not of Tokens. BadInput when nothing would be left to train on.
[[nodiscard]] Result<Dataset> assemble(RawSets sets, int validationSamples);

}  // namespace lockstep::data
