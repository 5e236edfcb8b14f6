// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/job/fit.h"

namespace lockstep::fit {

using job::BatchFigures;
using job::EpochFigures;

/// What fit() gives: the figures of its epochs, and how it ended (keras.callbacks.History).
struct History {
    std::vector<int> epochs;  ///< From 1, or from where a resume went on.
    /// One number an epoch, by Keras' names: "loss", "accuracy" (0 to 1), those of the metrics; of
    /// validation data, where they were given, the same names behind "val_". NaN where a number is
    /// not known: an accuracy of numbers that are predicted, of which none is right.
    std::map<std::string, std::vector<double>> values;

    std::string status;           ///< completed | stopped (on request, before its end)
    int stoppedEarlyAtEpoch = 0;  ///< By early stopping or a callback; 0: it was not.
    std::string stoppedBecause;   ///< Of that: a sentence.
    std::int64_t steps = 0;       ///< Of the run, with those before a resume.
    std::string stateHash;        ///< Of final weights and optimiser state, equal in every process.
    std::filesystem::path runFolder;
};

/// Of what job::fit() gave.
[[nodiscard]] History historyOf(const job::FitResult& result);

}  // namespace lockstep::fit
