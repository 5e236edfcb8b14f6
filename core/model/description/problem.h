// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace lockstep::model {

/// Where something stands in a job file.
struct Place {
    std::string path;  ///< "model.blocks.down.layers[0].residual[1].filters".
    int line = 0;      ///< From 1; 0: it was not read from a text. Likewise the column.
    int column = 0;    ///< In characters.
};

/// What is wrong with a model. The message goes on where the place's path ends: "is 0, but must be
/// a whole number from 1 to 1048576".
struct Problem {
    Place place;
    std::string message;
    std::string remedy;  ///< What to do about it: a sentence, never empty.
};
using Problems = std::vector<Problem>;

/// "model.layers[0].units is 0, but must be …": path and message.
[[nodiscard]] inline std::string sentenceOf(const Problem& problem) {
    return problem.place.path + " " + problem.message;
}

}  // namespace lockstep::model
