// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"
#include "core/coordination/client/client.h"
#include "core/coordination/client/store_link.h"
#include "core/coordination/ticket/meeting_place.h"
#include "core/distribution/group_meeting.h"
#include "core/distribution/initialize.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::distribution {

/// The processes that initialize() has brought together, as this one sees them. All calls are
/// thread-safe.
class ProcessGroup {
public:
    /// `secret`: as GroupMeeting has it. `self` has what this process brings along: its devices.
    /// `cluster`: resolved, so that count, id, role and coordinator are there.
    [[nodiscard]] static Result<std::unique_ptr<ProcessGroup>> form(
        const InitializeOptions& options, config::ClusterFacts cluster,
        std::optional<std::string> secret, const wire::Register& self);
    ~ProcessGroup();
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;

    [[nodiscard]] int processId() const { return cluster_.processId->value; }
    [[nodiscard]] int processCount() const { return cluster_.numProcesses->value; }
    /// An evaluator belongs to the group, but is not one of its processes.
    [[nodiscard]] bool isEvaluator() const;
    [[nodiscard]] bool hasEvaluator() const { return meeting_.hasEvaluator(); }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// Where every value came from.
    [[nodiscard]] const config::ClusterFacts& cluster() const { return cluster_; }
    /// The workers in order of process id, with the devices that each uses.
    [[nodiscard]] const wire::Welcome& roster() const { return welcome_; }
    [[nodiscard]] bool insecure() const { return options_.insecure; }
    /// Of process 0 only: where it listens.
    [[nodiscard]] const coordination::MeetingPlace& place() const { return meeting_.place(); }

    /// The group's key-value store: read by all, over authenticated connections.
    [[nodiscard]] Result<void> set(const std::string& key, const std::string& value);
    [[nodiscard]] Result<std::string> get(const std::string& key, Nanos timeout);
    /// Waits until all processes (but the evaluator) have entered; names the missing.
    [[nodiscard]] Result<void> barrier(const std::string& name, Nanos timeout);
    /// Numbers what all processes do together, in the same order.
    [[nodiscard]] std::uint64_t nextCollective() { return ++collectives_; }
    /// Likewise what the evaluator takes no part in.
    [[nodiscard]] std::uint64_t nextGather() { return ++gathers_; }
    /// The same store, with edits that are confirmed.
    [[nodiscard]] coordination::StoreLink store() const {
        return coordination::StoreLink(client());
    }

    [[nodiscard]] Result<void> shutdown();
    /// Of a process that is about to end. Process 0 has the coordinator: waits, 3 s at most, until
    /// the others know why the group has ended, where it has. Else it returns at once.
    void awaitOthersTold();

private:
    ProcessGroup(const InitializeOptions& options, config::ClusterFacts cluster,
                 std::optional<std::string> secret);

    [[nodiscard]] coordination::Client& client() const { return meeting_.client(); }
    [[nodiscard]] Result<void> agree(const wire::Register& self);
    [[nodiscard]] Result<void> agreeOnPartitions();
    [[nodiscard]] Result<std::string> partitionProblem(Nanos timeout);
    [[nodiscard]] Result<void> agreeOnSeed();
    void noteFailure(const std::string& sentence);

    const InitializeOptions options_;
    const config::ClusterFacts cluster_;
    wire::Welcome welcome_;
    std::uint64_t seed_ = 0;
    std::atomic<std::uint64_t> collectives_{0};
    std::atomic<std::uint64_t> gathers_{0};
    std::atomic<bool> joined_{false};
    std::atomic<bool> leaving_{false};
    std::atomic<bool> failed_{false};
    GroupMeeting meeting_;  ///< Its threads call noteFailure() until they are gone.
};

}  // namespace lockstep::distribution
