// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace lockstep::job {

/// The language of a report: English, unless somebody translates what core says.
struct ReportWords {
    std::string code = "en";  ///< As HTML names it.
    /// A sentence of core, or a few words; what it does not know stays as it is.
    std::function<std::string(const std::string& english)> translate;

    [[nodiscard]] std::string operator()(const std::string& english) const {
        return translate ? translate(english) : english;
    }
};

}  // namespace lockstep::job
