// SPDX-License-Identifier: Apache-2.0
#include "core/data/validation_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/plural.h"

namespace lockstep::data {

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

}  // namespace lockstep::data
