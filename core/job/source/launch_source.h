// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/config/job/job_spec.h"
#include "core/job/source/journal_source.h"
#include "core/job/source/live_source.h"
#include "core/job/source/start_ledger.h"
#include "core/launch/process/local_launcher.h"
#include "core/launch/process/oom_kills.h"
#include "core/run/stopped_time.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::job {

/// Starts an agent on this machine when it is first asked, then follows its run. A tied agent ends
/// its job when this source is destroyed. An agent that is killed is replaced, as often as
/// launch.max_restarts allows: the run goes on from its newest checkpoint. One that is stopped for
/// so long that its processes have left it is killed.
class LaunchSource final : public JournalSource {
public:
    explicit LaunchSource(wire::AgentConfig config);

    [[nodiscard]] Result<std::optional<Piece>> next(Nanos timeout) override;
    [[nodiscard]] Status status() const override;
    void requestStop() override;
    void kill() override;
    void waitLonger() override;
    void drill(const DrillOrder& order) override;
    [[nodiscard]] std::string takeWarning() override { return std::exchange(warning_, {}); }

private:
    void launch();
    void removeUnused() const;
    void endStoppedAgent();
    void lookAtEnd();
    void replace(const launch::ExitStatus& lost, bool outOfMemory);
    [[nodiscard]] bool repeatsItself(wire::Failure& lost);
    void noteLost(wire::Failure lost);
    void noteUnready(const std::string& words);
    [[nodiscard]] bool mayLaunch(Nanos timeout);
    [[nodiscard]] bool mayReplace() const;
    [[nodiscard]] std::string wordsOf(const launch::ExitStatus& lost, bool outOfMemory) const;

    wire::AgentConfig config_;
    std::optional<launch::LocalAgent> agent_;
    std::unique_ptr<LiveSource> live_;
    bool stopRequested_ = false;
    bool killRequested_ = false;
    std::uint64_t offset_ = 0;  ///< What lies before it in the journal has been given.
    config::LaunchSpec launch_;
    Nanos heartbeatTimeout_{};
    run::StoppedTime agentStopped_;
    Nanos nextLookAtAgent_{};
    std::optional<Nanos> killedAfter_;  ///< Stopped for so long: by this, for that.
    launch::OomKills oomKills_;         ///< Whether the kernel has ended the agent.
    bool isLost_ = false;  ///< An agent was, and another one is to take its place, or has.
    StartLedger ledger_;
    const Nanos began_ = SteadyClock::read();
    Nanos lostAt_{0};
    std::string warning_;
    Status status_;                 ///< While there is no agent.
    std::optional<Ending> ending_;  ///< By its agent's death, of which the journal knows nothing.
};

}  // namespace lockstep::job
