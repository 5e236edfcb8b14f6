// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/lost_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/text.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kRangesTold = 4;

std::string rangeOf(const StepGap& gap) {
    return gap.first == gap.last ? std::to_string(gap.first)
                                 : fmt::format("{}-{}", gap.first, gap.last);
}

}  // namespace

void LostSteps::take(const wire::Record& record) {
    for (const StepGap& gap : gaps_.take(record)) {
        if (!gap.isBeforeStart) continue;
        count_ += gap.last - gap.first + 1;
        replicas_.insert(static_cast<int>(gap.replica));
        std::string range = rangeOf(gap);
        if (std::ranges::find(ranges_, range) != ranges_.end()) continue;
        if (ranges_.size() < kRangesTold)
            ranges_.push_back(std::move(range));
        else
            hasMore_ = true;
    }
}

std::string LostSteps::text() const {
    if (count_ == 0) return {};
    const std::vector<int> whose(replicas_.begin(), replicas_.end());
    const std::string which =
        fmt::format("{} ({}{})", count_, fmt::join(ranges_, ", "), hasMore_ ? ", ..." : "");
    return fmt::format("steps of {} {} are missing, whose records were lost with a process: {}",
                       nounFor(whose.size(), "replica"), compressRanges(whose), which);
}

}  // namespace lockstep::telemetry
