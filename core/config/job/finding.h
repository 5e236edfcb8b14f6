// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::config {

enum class Severity : std::uint8_t { Error, Warning, Note };

/// One problem of a job file, in the user's words.
struct Finding {
    Severity severity = Severity::Error;
    std::string key;      ///< "training.epochs", "model.layers[2].units"; empty: the whole file.
    int line = 0;         ///< From 1; 0: the key is not in the file (absent, or given by --set).
    int column = 0;       ///< From 1, in characters; 0 as for line.
    std::string message;  ///< One sentence with the value and the reason.
    std::string remedy;   ///< What to do about it; never empty.
    std::string place;    ///< "job.toml:14:9", "--set", or "job.toml" for what is absent.

    [[nodiscard]] bool operator==(const Finding&) const = default;
};

/// "error", "warning" or "note".
[[nodiscard]] std::string_view toString(Severity severity);

/// The finding as the BadInput error "PLACE: MESSAGE" with its remedy.
[[nodiscard]] Error toError(const Finding& finding);

}  // namespace lockstep::config
