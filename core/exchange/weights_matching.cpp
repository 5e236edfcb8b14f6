// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/weights_matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "core/config/keys/weights_keys.h"

namespace lockstep::exchange {

namespace {

constexpr std::size_t kMostNamed = 8;

/// "a, b and 12 more".
std::string listed(const std::vector<std::string>& names, std::string_view between = ", ") {
    if (names.size() <= kMostNamed) return fmt::format("{}", fmt::join(names, between));
    return fmt::format("{} and {} more", fmt::join(std::span(names).first(kMostNamed), between),
                       names.size() - kMostNamed);
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
    if (mended)
        return fmt::format("Write model.initial_weights = {}.",
                           config::initialWeightsToml(*mended));
    return "Name what is called otherwise in model.initial_weights.rename, and what may be missing "
           "or differ, such as the last layer, in model.initial_weights.except; `lockstepctl lint "
           "--model` shows the model's layers.";
}

}  // namespace lockstep::exchange
