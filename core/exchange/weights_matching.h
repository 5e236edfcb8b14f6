// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace lockstep::exchange {

/// What keeps a file of weights from fitting a network, each by its name: all of it is told at
/// once.
struct WeightsMisfit {
    std::vector<std::string> missing;  ///< Names here.
    std::vector<std::string> besides;  ///< Names there.
    std::vector<std::string>
        others;  ///< Clauses: "fc.weight is [1000, 512] there, [10, 512] here".
    /// What would mend it, if one thing does: a name's beginning there and here.
    std::string renameThere;
    std::string renameHere;

    [[nodiscard]] bool isEmpty() const {
        return missing.empty() && besides.empty() && others.empty();
    }
    /// "it lacks a, b and 3 more; it has c, which the model does not have; fc.weight is …".
    [[nodiscard]] std::string sentence() const;
    [[nodiscard]] std::string remedy() const;
};

/// Finds a beginning of all names there that is missing here, or the other way round: what
/// programs put before names when they wrap a network.
void suggestRename(WeightsMisfit& misfit);

}  // namespace lockstep::exchange
