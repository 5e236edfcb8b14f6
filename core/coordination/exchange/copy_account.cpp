// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/copy_account.h"

#include <algorithm>

namespace lockstep::coordination {

namespace {
/// Where nobody copies, nothing is ever settled.
constexpr std::size_t kMostWaiting = 100'000;
}  // namespace

void CopyAccount::note(const wire::CheckpointEvent& event) {
    const auto step = static_cast<std::int64_t>(event.step());
    // Whoever copies looks at the folder, and may be done before the chief has said a word.
    if (!event.error().empty() || step == tally_.newest) return;
    std::erase(waiting_, step);  // committed again
    if (waiting_.size() < kMostWaiting) waiting_.push_back(step);
}

void CopyAccount::note(const wire::CheckpointCopy& copy) {
    if (copy.error().empty() || tally_.copied == 0) tally_.host = copy.host();
    tally_.problem = copy.error();
    if (!copy.error().empty()) {
        ++tally_.failures;
        return;
    }
    ++tally_.copied;
    settle(static_cast<std::int64_t>(copy.step()));
}

/// What was committed before it has been overtaken. An older one that is copied later, since it is
/// the best, overtakes nothing.
void CopyAccount::settle(std::int64_t step) {
    const auto found = std::ranges::find(waiting_, step);
    const bool isNewest =
        std::ranges::all_of(waiting_, [step](std::int64_t one) { return one < step; });
    if (found == waiting_.end() && !isNewest) return;
    const auto before = static_cast<std::uint64_t>(found - waiting_.begin());
    tally_.overtaken += before;
    waiting_.erase(waiting_.begin(), found == waiting_.end() ? found : found + 1);
    tally_.newest = step;
}

CopyTally CopyAccount::tally() const {
    CopyTally tally = tally_;
    if (!waiting_.empty()) tally.awaited = waiting_.back();
    return tally;
}

}  // namespace lockstep::coordination
