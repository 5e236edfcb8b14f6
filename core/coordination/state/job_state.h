// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/coordination/state/job_rules.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// How far the job has come: its present generation, whether that is registering, running or
/// ended, and why it ended. All parts of the coordinator read it; Registration and Endings move it
/// on.
class JobState {
public:
    static constexpr std::int32_t kNobody = -1;

    explicit JobState(JobRules rules) : rules_(std::move(rules)) {}

    [[nodiscard]] const JobRules& rules() const { return rules_; }
    [[nodiscard]] std::uint32_t generation() const { return generation_; }
    [[nodiscard]] bool registering() const { return stage_ == Stage::Registering; }
    [[nodiscard]] bool running() const { return stage_ == Stage::Running; }
    [[nodiscard]] bool ended() const { return stage_ == Stage::Ended; }
    /// Why the generation ended, for those who still ask; empty before.
    [[nodiscard]] const std::string& endCause() const { return endCause_; }
    /// The id of the process that is the cause of the end, or kNobody.
    [[nodiscard]] std::int32_t culprit() const { return culprit_; }
    /// How the run ended, once it has: no generation follows.
    [[nodiscard]] const std::optional<wire::RunEnd>& runEnd() const { return runEnd_; }

    void beginGeneration(std::uint32_t generation);
    void beginRunning() { stage_ = Stage::Running; }
    /// The generation ends. Only the first call tells the cause.
    void end(const std::string& cause, std::int32_t culprit = kNobody);
    void endRun(const wire::RunEnd& end) { runEnd_ = end; }

private:
    enum class Stage : std::uint8_t { Registering, Running, Ended };

    const JobRules rules_;
    std::uint32_t generation_ = 0;
    Stage stage_ = Stage::Registering;
    std::string endCause_;
    std::int32_t culprit_ = kNobody;
    std::optional<wire::RunEnd> runEnd_;
};

}  // namespace lockstep::coordination
