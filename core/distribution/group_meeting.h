// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"
#include "core/coordination/client/client.h"
#include "core/coordination/server/hosted_coordinator.h"
#include "core/coordination/state/process_key.h"
#include "core/coordination/ticket/job_keys.h"
#include "core/coordination/ticket/meeting_place.h"
#include "core/coordination/ticket/offered_ticket.h"
#include "core/coordination/ticket/ticket_search.h"
#include "core/distribution/coordinator_guard.h"
#include "core/distribution/initialize.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::distribution {

/// How the processes of a group come together: process 0 hosts the coordinator and leaves a ticket
/// with everybody's keys, and all of them join. What came of it lasts as long as this.
class GroupMeeting {
public:
    using OnAbort = std::function<void(const std::string& cause)>;

    /// `cluster`: resolved, so that count, id, role and coordinator are there; both outlive this.
    /// `onAbort` is called on the client's thread, or by who watches the coordinator in process 0.
    /// `secret`: what all processes have been given to know each other by; absent: keys go through
    /// a file, unless the options say insecure.
    GroupMeeting(const InitializeOptions& options, const config::ClusterFacts& cluster,
                 std::optional<std::string> secret, OnAbort onAbort);

    /// Blocks until all have come. `self` has what this process brings along: its devices.
    [[nodiscard]] Result<wire::Welcome> meet(const wire::Register& self);

    [[nodiscard]] const coordination::ProcessKey& self() const { return self_; }
    [[nodiscard]] bool hasEvaluator() const;
    [[nodiscard]] coordination::Client& client() const { return *client_; }
    /// Null but in process 0.
    [[nodiscard]] const coordination::HostedCoordinator* coordinator() const {
        return coordinator_.get();
    }
    /// Of process 0 only: where it listens.
    [[nodiscard]] const coordination::MeetingPlace& place() const { return place_; }
    /// For a process that ends without destructors.
    void removeFiles();

private:
    [[nodiscard]] std::string address() const;
    [[nodiscard]] Result<std::filesystem::path> keyFile() const;
    [[nodiscard]] Result<void> host();
    [[nodiscard]] coordination::CoordinatorOptions coordinatorOptions() const;
    [[nodiscard]] Result<coordination::JobKeys> jobKeys() const;
    [[nodiscard]] Result<void> awaitTicket(Nanos deadline);
    /// Whether every process has the job's keys without being handed them.
    [[nodiscard]] bool knowsKeys() const { return options_.insecure || secret_.has_value(); }
    [[nodiscard]] Result<void> makeOwnTicket();
    [[nodiscard]] Result<void> connect(const wire::Register& self);
    [[nodiscard]] Result<wire::Welcome> join(Nanos deadline);
    [[nodiscard]] bool awaitNextStart(const Error& refusal, Nanos deadline);
    [[nodiscard]] bool ticketIsOfAFormerStart(const Error& failure);

    const InitializeOptions& options_;
    const config::ClusterFacts& cluster_;
    const std::optional<std::string> secret_;
    const coordination::ProcessKey self_;
    /// One for all attempts: whoever has taken one of them takes the next for the same life.
    const std::uint64_t incarnation_ = newIncarnation();
    const OnAbort onAbort_;
    coordination::MeetingPlace place_;
    std::filesystem::path keyFile_;
    coordination::TicketSearch search_;
    wire::StartTicket ticket_;
    std::unique_ptr<coordination::HostedCoordinator> coordinator_;
    std::optional<coordination::OfferedTicket> offered_;
    std::unique_ptr<coordination::Client> client_;
    bool saysThatItWaits_ = false;
    std::optional<CoordinatorGuard> guard_;  ///< Of `coordinator_`.
};

}  // namespace lockstep::distribution
