// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/data/arrays/npy_file.h"
#include "core/data/dataset.h"
#include "core/data/packed/packed_file.h"
#include "core/data/problem_list.h"

namespace lockstep::data {

/// Arrays of one set of samples: the first dimension counts them.
struct ArrayPair {
    std::string inputsKey;  ///< Of the job file, for messages, as the next one.
    std::string targetsKey;
    NpyArray inputs;
    NpyArray targets;
};

/// What the arrays of all sets together show.
struct ArrayFacts {
    std::int64_t highestLabel = -1;  ///< Where targets are classes.
    bool areTokens = true;           ///< All inputs are whole numbers from 0, and not of images.
    std::int64_t highestToken = 0;   ///< Of these.
};

/// Whether the samples are images: bytes of two or three dimensions.
[[nodiscard]] bool holdsImages(const NpyArray& inputs);
/// Whether the targets are classes: a whole number a sample.
[[nodiscard]] bool holdsClasses(const NpyArray& targets);

/// Of a sample, as the network sees it: images have channels, a sample of one number {1}.
[[nodiscard]] model::Shape sampleShape(const NpyArray& inputs);

/// BadInput where the two do not count the same samples, hold none, or are of no shape for a
/// network.
[[nodiscard]] Result<void> checkShapes(const ArrayPair& pair);

/// Samples as they are packed: a section of inputs, one of targets. Empty ones where the array of a
/// file is what the samples hold, so that it is mapped as it lies.
struct PackedSamples {
    Split split;  ///< Without bytes.
    bool inputsLie = false;
    bool targetsLie = false;
};

/// Writes the samples, without those that hold a number that is not finite or not exact as float32:
/// they are counted in `problems`. Values are multiplied by `targetScale`. BadInput for labels that
/// are none, and for values that are none of float32 once they are scaled; what the writer fails
/// with.
[[nodiscard]] Result<PackedSamples> packSamples(const ArrayPair& pair, double targetScale,
                                                PackedWriter& writer, ProblemList& problems,
                                                ArrayFacts& facts);

}  // namespace lockstep::data
