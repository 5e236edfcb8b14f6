// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/run/run_files.h"

namespace lockstep::run {

/// An agent of this user on this host, with what it has started. The register is a folder of the
/// user's state folder, so that leftovers are found whoever started them.
struct AgentRecord {
    std::string runId;
    std::string runDir;  ///< On this host.
    std::string name;    ///< The job's.
    bool hostsCoordinator = false;
    std::uint32_t memberId = 0;             ///< Of an agent that joined a coordinator elsewhere.
    std::vector<ProcessEntry> processes{};  ///< The agent first.
};

/// This agent's entry in the register, from construction to destruction (or the end of the agent,
/// after which others remove it). Where it cannot be written the agent is not listed: that is no
/// reason not to train. One thread.
class AgentRegistration {
public:
    explicit AgentRegistration(AgentRecord record);
    ~AgentRegistration();
    AgentRegistration(const AgentRegistration&) = delete;
    AgentRegistration& operator=(const AgentRegistration&) = delete;
    AgentRegistration(AgentRegistration&& other) noexcept;
    AgentRegistration& operator=(AgentRegistration&&) = delete;

    /// What runs now, the agent first. Written when it differs from what was.
    void update(const std::vector<ProcessEntry>& processes);

private:
    AgentRecord record_;
    std::filesystem::path file_;
};

/// The agents of this user on this host of which a process still runs, by pid and start time.
/// Entries of which none does are removed.
[[nodiscard]] std::vector<AgentRecord> registeredAgents();

}  // namespace lockstep::run
