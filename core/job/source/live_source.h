// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/coordination/monitor/monitor_client.h"
#include "core/job/source/journal_source.h"
#include "core/run/agent_process.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"

namespace lockstep::job {

/// The journal of a running job, pulled from its coordinator; when that is gone, the rest of it
/// from the run's folder. Connects again by itself after an interruption, without gap.
class LiveSource final : public JournalSource {
public:
    /// `fromOffset`: what lies before it in the journal has been read. `patience`: with an agent
    /// that is killed, for another one to take its place, where the job allows that.
    LiveSource(run::RunPaths paths, run::Contact contact, std::uint64_t fromOffset = 0,
               Nanos patience = std::chrono::seconds(10))
        : paths_(std::move(paths)),
          contact_(std::move(contact)),
          patience_(patience),
          offset_(fromOffset) {
        status_.link.sentence = "connecting to the run";
    }

    [[nodiscard]] Result<std::optional<Piece>> next(Nanos timeout) override;
    [[nodiscard]] Status status() const override { return status_; }
    void requestStop() override;
    void kill() override;
    void waitLonger() override;
    void drill(const DrillOrder& order) override;
    /// What lies before it in the journal has been given.
    [[nodiscard]] std::uint64_t offset() const { return offset_; }

private:
    [[nodiscard]] Result<void> connect();
    [[nodiscard]] Result<std::optional<Piece>> readRest();
    [[nodiscard]] bool coordinatorIsGone();
    [[nodiscard]] bool mayBeReplaced() const;
    void turnToReplacement();
    void lookAtAgent(bool hasAll);
    void enforceKill(const run::AgentProcess& agent);

    run::RunPaths paths_;
    run::Contact contact_;
    const Nanos patience_;
    std::unique_ptr<coordination::MonitorClient> client_;
    std::optional<telemetry::JournalReader> rest_;
    std::uint64_t offset_ = 0;
    bool isGone_ = false;
    std::optional<Nanos> vacantSince_;  ///< Nobody holds the folder of a run that has not ended.
    bool stopRequested_ = false;
    bool killRequested_ = false;
    Nanos killAsked_{0};
    std::string agentsWords_;  ///< Why it does not answer; empty: nothing is known.
    Nanos heard_{0};
    Nanos nextLookAtAgent_{0};
    Nanos nextLook_{0};
    Status status_;
};

}  // namespace lockstep::job
