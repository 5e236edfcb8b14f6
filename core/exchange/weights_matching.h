// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/job/job_spec.h"

namespace lockstep::exchange {

/// What keeps a file of weights from fitting a network, each by its name: all of it is told at
/// once.
struct WeightsMisfit {
    std::vector<std::string> missing;  ///< Names here.
    std::vector<std::string> besides;  ///< Names there.
    std::vector<std::string>
        others;  ///< Clauses: "fc.weight is [1000, 512] there, [10, 512] here".
    /// What the job should say instead, where one rename more mends it.
    std::optional<config::InitialWeightsSpec> mended{};

    [[nodiscard]] bool isEmpty() const {
        return missing.empty() && besides.empty() && others.empty();
    }
    /// "it lacks a, b and 3 more; it has c, which the model does not have; fc.weight is …".
    [[nodiscard]] std::string sentence() const;
    [[nodiscard]] std::string remedy() const;
};

}  // namespace lockstep::exchange
