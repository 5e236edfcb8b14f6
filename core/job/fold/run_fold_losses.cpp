// SPDX-License-Identifier: Apache-2.0
// What of the replicas' samples the run's records lack, in words.
#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/job/fold/run_fold.h"

namespace lockstep::job {

namespace {

/// Steps and named figures that their sender had no room for; empty: none.
std::string droppedText(const std::vector<ReplicaView>& replicas) {
    std::vector<int> whose;
    std::uint64_t count = 0;
    for (const ReplicaView& replica : replicas) {
        if (replica.droppedSamples == 0) continue;
        whose.push_back(replica.replica);
        count += replica.droppedSamples;
    }
    if (whose.empty()) return {};
    return fmt::format(
        "samples of {} {} are missing, which came faster than they could be sent: {}",
        nounFor(whose.size(), "replica"), compressRanges(whose), count);
}

}  // namespace

void RunFold::addLosses(RunView& view) const {
    const auto add = [&view](const std::string& sentence) {
        if (!sentence.empty()) view.missing += (view.missing.empty() ? "" : "; ") + sentence;
    };
    add(droppedText(view.replicas));
    if (!ownProgram_) add(lostSteps_.text());  // which reports the steps that it likes
}

}  // namespace lockstep::job
