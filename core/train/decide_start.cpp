// SPDX-License-Identifier: Apache-2.0
#include "core/train/decide_start.h"

#include <filesystem>
#include <utility>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/train/kept_memory.h"

namespace lockstep::train {

namespace {

StartPoint withNotices(StartPoint start, const std::vector<std::string>& first) {
    start.notices.insert(start.notices.begin(), first.begin(), first.end());
    return start;
}

Result<StartPoint> decideAsChief(const wire::WorkerConfig& config, const JobContext& context,
                                 Member& member, KeptSteps* kept, PartRestore* restore,
                                 const config::JobSpec* former) {
    std::vector<std::string> notices;
    if (auto start = TRY(startOfKeptSteps(config, context, kept, member, notices)))
        return withNotices(*std::move(start), notices);
    const auto checkpoints = std::filesystem::path(config.run_dir()) / "checkpoints";
    auto start = TRY(findStart(context.job, context.data, checkpoints, config.resume(),
                               member.welcome().seed_word(), former, restore));
    // A number that no other run has: what is kept from here on is of this one.
    start.keptLineage = std::stoull(randomHex(8), nullptr, 16) | 1;
    if (config.patience_anew() && start.checkpoint) start.checkpoint->state.patience = {};
    TRY(readStartWeights(context.job, config.job_dir(), context.network, start));
    return withNotices(std::move(start), notices);
}

}  // namespace

Result<StartPoint> decideStart(const wire::WorkerConfig& config, const JobContext& context,
                               Member& member, KeptSteps* kept, PartRestore* restore,
                               const config::JobSpec* former) {
    if (config.process_id() == 0)
        return decideAsChief(config, context, member, kept, restore, former);
    TRY(offerKeptSteps(config, kept, member));
    const Nanos patience = startPatience(context.job);
    if (restore != nullptr) TRY(restore->follow(patience));
    return awaitStart(member, context.data, patience);
}

}  // namespace lockstep::train
