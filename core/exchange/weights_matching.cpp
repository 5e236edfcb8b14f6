// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/weights_matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

namespace lockstep::exchange {

namespace {

constexpr std::size_t kMostNamed = 8;

/// "a, b and 12 more".
std::string listed(const std::vector<std::string>& names, std::string_view between = ", ") {
    if (names.size() <= kMostNamed) return fmt::format("{}", fmt::join(names, between));
    return fmt::format("{} and {} more", fmt::join(std::span(names).first(kMostNamed), between),
                       names.size() - kMostNamed);
}

/// The beginning of `longer` that is left when it ends with `shorter`, a point before it.
std::string beginningOf(const std::string& longer, const std::string& shorter) {
    if (longer.size() <= shorter.size() || !longer.ends_with(shorter)) return {};
    std::string beginning = longer.substr(0, longer.size() - shorter.size());
    return beginning.ends_with('.') ? beginning : std::string();
}

/// The one beginning by which all of `shorter` become names of `longer`; empty: there is none.
std::string commonBeginning(const std::vector<std::string>& longer,
                            const std::vector<std::string>& shorter) {
    if (longer.empty() || shorter.empty()) return {};
    const std::set<std::string> names(longer.begin(), longer.end());
    for (const std::string& name : longer) {
        const std::string beginning = beginningOf(name, shorter.front());
        if (beginning.empty()) continue;
        if (std::ranges::all_of(
                shorter, [&](const std::string& one) { return names.contains(beginning + one); }))
            return beginning;
    }
    return {};
}

}  // namespace

std::string WeightsMisfit::sentence() const {
    std::vector<std::string> clauses;
    if (!missing.empty()) clauses.push_back("it lacks " + listed(missing));
    if (!besides.empty())
        clauses.push_back("it has " + listed(besides) + ", which the model does not have");
    if (!others.empty()) clauses.push_back(listed(others, "; "));
    return fmt::format("{}", fmt::join(clauses, "; "));
}

std::string WeightsMisfit::remedy() const {
    if (!renameThere.empty() || !renameHere.empty())
        return fmt::format(
            "Write model.initial_weights = {{ file = \"…\", rename = {{ \"{}\" = \"{}\" }} }}.",
            renameThere, renameHere);
    return "Name what is called otherwise in model.initial_weights.rename, and what may be missing "
           "or differ, such as the last layer, in model.initial_weights.except; `lockstepctl lint "
           "--model` shows the model's layers.";
}

void suggestRename(WeightsMisfit& misfit) {
    misfit.renameThere = commonBeginning(misfit.besides, misfit.missing);
    if (misfit.renameThere.empty())
        misfit.renameHere = commonBeginning(misfit.missing, misfit.besides);
}

}  // namespace lockstep::exchange
