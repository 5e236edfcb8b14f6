// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/sentences.h"

#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/base/text.h"

namespace lockstep::coordination {

std::string secondsText(Nanos duration) {
    return fmt::format("{:.3g} s", Seconds(duration).count());
}

std::string processesText(const std::vector<int>& ids) {
    return nounFor(ids.size(), "process") + " " + compressRanges(ids);
}

}  // namespace lockstep::coordination
