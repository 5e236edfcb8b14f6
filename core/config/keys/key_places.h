// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lockstep::config {

/// Where a key's value stands in the text, and whether it could be used.
struct KeyPlace {
    int line = 0;  ///< From 1.
    int column = 0;
    bool usable = true;  ///< False: the value is wrong and the spec holds the default.
};

/// The keys that a job file writes, by full name ("training.epochs", "model.layers[0].units").
using KeyPlaces = std::map<std::string, KeyPlace, std::less<>>;

}  // namespace lockstep::config
