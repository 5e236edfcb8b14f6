// SPDX-License-Identifier: Apache-2.0
#include "core/train/decide_start.h"

#include <filesystem>

#include "core/base/try.h"
#include "core/train/kept_memory.h"

namespace lockstep::train {

namespace {

Result<StartPoint> decideAsChief(const wire::WorkerConfig& config, const JobContext& context,
                                 Member& member, KeptSteps* kept, PartRestore* restore,
                                 const config::JobSpec* former) {
    std::vector<std::string> notices;
    if (auto start = TRY(startOfKeptSteps(config, context, kept, member, notices)))
        return *std::move(start);
    const auto checkpoints = std::filesystem::path(config.run_dir()) / "checkpoints";
    auto start = TRY(findStart(context.job, context.data, checkpoints, config.resume(),
                               member.welcome().seed_word(), former, restore));
    start.notices.insert(start.notices.begin(), notices.begin(), notices.end());
    if (config.patience_anew() && start.checkpoint) start.checkpoint->state.patience = {};
    TRY(readStartWeights(context.job, config.job_dir(), context.network, start));
    return start;
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
