// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/launch_source.h"

#include <tuple>

#include "core/base/exit_status.h"

namespace lockstep::job {

namespace {
/// For it to remove what the run leaves nobody: whoever sees the end told looks at the folder then.
constexpr std::chrono::seconds kAgentsLastMoment{5};
}  // namespace

Result<std::optional<JournalSource::Piece>> LaunchSource::next(Nanos timeout) {
    if (!live_ && !status_.exhausted) launch();
    if (!live_) return std::nullopt;
    auto piece = live_->next(timeout);
    // The agent has let go of its folder: it is ending, and nobody else will reap it.
    if (live_->status().exhausted) std::ignore = agent_->process->wait(kAgentsLastMoment);
    return piece;
}

void LaunchSource::launch() {
    auto agent = launch::launchLocalAgent(config_);
    if (!agent) {
        removeUnused();
        status_.exhausted = true;
        status_.link = {false, true, "not started"};
        status_.ending =
            Ending{exitStatusOf(agent.error().code), agent.error().message, agent.error().remedy};
        return;
    }
    agent_.emplace(std::move(*agent));
    live_ = std::make_unique<LiveSource>(
        run::RunPaths{config_.run_dir()},
        run::Contact{config_.run_id(), agent_->ready.monitor_endpoint(),
                     agent_->ready.monitor_key_file()});
    if (stopRequested_) live_->requestStop();
    if (killRequested_) live_->kill();
}

/// The folder that was made for a run which never began; the agent may have removed it already.
void LaunchSource::removeUnused() const {
    const std::filesystem::path created = config_.created_folder();
    if (created.empty()) return;
    std::error_code notEmpty;  // then somebody else came to live there
    for (std::filesystem::path folder = config_.run_dir();
         folder.native().size() >= created.native().size(); folder = folder.parent_path())
        std::filesystem::remove(folder, notEmpty);
}

void LaunchSource::requestStop() {
    stopRequested_ = true;
    if (live_) live_->requestStop();
}

void LaunchSource::waitLonger() {
    if (live_) live_->waitLonger();
}

void LaunchSource::kill() {
    killRequested_ = true;
    if (live_) live_->kill();
}

}  // namespace lockstep::job
