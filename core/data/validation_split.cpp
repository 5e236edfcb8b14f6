// SPDX-License-Identifier: Apache-2.0
#include "core/data/validation_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/plural.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kMostClasses = 65'536;
/// So many samples are expected among those that were chosen at random: e^-15 is the chance of
/// none.
constexpr double kSurelyThere = 15;

}  // namespace

Result<std::uint32_t> validationCount(std::uint32_t samples, double share) {
    if (share <= 0) return 0U;
    const auto nearest = static_cast<std::uint32_t>(std::llround(samples * share));
    const std::uint32_t count = std::max(nearest, 1U);
    if (count >= samples)
        return fail(ErrorCode::BadInput,
                    fmt::format("data.validation_split is {}, which leaves none of {} to train on",
                                share, counted(samples, "sample")),
                    "Use a smaller share, or more data.");
    return count;
}

std::optional<Error> doubtOfSplit(const Split& train, const Split& validation,
                                  const SplitWords& words) {
    if (train.targetKind != TargetKind::Class || train.count == 0 || validation.count == 0)
        return std::nullopt;
    std::vector<std::uint64_t> trained(kMostClasses);
    std::vector<std::uint64_t> validated(kMostClasses);
    for (const auto& [split, counts] :
         {std::pair{&train, &trained}, std::pair{&validation, &validated}})
        for (std::uint32_t i = 0; i < split->count; ++i)
            ++(*counts)[split->label(i)];
    std::string finding;
    for (std::size_t c = 0; c < kMostClasses && finding.empty(); ++c) {
        const double expected =
            static_cast<double>(trained[c]) / train.count * static_cast<double>(validation.count);
        if (validated[c] > 0 && trained[c] == 0)
            finding = fmt::format("all of class {} are among them, so that none is trained on", c);
        else if (validated[c] == 0 && expected >= kSurelyThere)
            finding = fmt::format("none of class {} is among them, of which {} are trained on", c,
                                  trained[c]);
    }
    if (finding.empty()) return std::nullopt;
    return Error{ErrorCode::BadInput,
                 fmt::format("{}: the last {} of {} validate, and {}; are they sorted by class?",
                             words.key, counted(validation.count, "sample"),
                             std::uint64_t{train.count} + validation.count, finding),
                 words.remedy};
}

}  // namespace lockstep::data
