// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"
#include "core/coordination/client/client.h"
#include "core/coordination/server/coordinator.h"
#include "core/coordination/ticket/meeting_place.h"
#include "core/coordination/ticket/ticket_search.h"
#include "core/distribution/initialize.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::distribution {

/// The processes that initialize() has brought together, as this one sees them. All calls are
/// thread-safe.
class ProcessGroup {
public:
    /// `localDevices`: how many this process brings along.
    /// `cluster`: resolved, so that count, id, role and coordinator are there.
    [[nodiscard]] static Result<std::unique_ptr<ProcessGroup>> form(
        const InitializeOptions& options, config::ClusterFacts cluster, int localDevices);
    ~ProcessGroup();
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;

    [[nodiscard]] int processId() const { return cluster_.processId->value; }
    [[nodiscard]] int processCount() const { return cluster_.numProcesses->value; }
    /// An evaluator belongs to the group, but is not one of its processes.
    [[nodiscard]] bool isEvaluator() const;
    [[nodiscard]] bool hasEvaluator() const;
    [[nodiscard]] int localDevices() const { return localDevices_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// Where every value came from.
    [[nodiscard]] const config::ClusterFacts& cluster() const { return cluster_; }
    /// The workers in order of process id.
    [[nodiscard]] const wire::Welcome& roster() const { return welcome_; }
    [[nodiscard]] bool insecure() const { return insecure_; }
    /// Of process 0 only: where it listens.
    [[nodiscard]] const coordination::MeetingPlace& place() const { return place_; }

    /// The group's key-value store: read by all, over authenticated connections.
    [[nodiscard]] Result<void> set(const std::string& key, const std::string& value);
    [[nodiscard]] Result<std::string> get(const std::string& key, Nanos timeout);
    /// Waits until all processes (but the evaluator) have entered; names the missing.
    [[nodiscard]] Result<void> barrier(const std::string& name, Nanos timeout);
    /// Numbers what all processes do together, in the same order.
    [[nodiscard]] std::uint64_t nextCollective() { return ++collectives_; }

    [[nodiscard]] Result<void> shutdown();

private:
    ProcessGroup(const InitializeOptions& options, config::ClusterFacts cluster, int localDevices);

    [[nodiscard]] Result<void> meet();
    [[nodiscard]] Result<std::filesystem::path> keyFile() const;
    [[nodiscard]] Result<void> host();
    [[nodiscard]] Result<wire::KeyPair> keyPair(const std::string& user) const;
    [[nodiscard]] Result<void> awaitTicket(Nanos deadline);
    [[nodiscard]] Result<void> makeOpenTicket();
    [[nodiscard]] Result<void> connect();
    [[nodiscard]] Result<void> joinOnce(Nanos deadline);
    [[nodiscard]] Result<void> agreeOnPartitions();
    [[nodiscard]] Result<std::string> partitionProblem(Nanos timeout);
    [[nodiscard]] Result<void> agreeOnSeed();
    bool ticketIsOfAFormerStart(const Error& failure);
    void noteFailure(const std::string& sentence);
    void removeFiles() const;
    [[nodiscard]] std::string userId() const;

    const InitializeOptions options_;
    const config::ClusterFacts cluster_;
    const int localDevices_;
    const bool insecure_;
    coordination::MeetingPlace place_;
    std::filesystem::path runtimeFolder_;  ///< Process 0: its journal and socket.
    std::filesystem::path keyFile_;
    UniqueFd keyFileLock_;
    coordination::TicketSearch search_;
    wire::StartTicket ticket_;
    wire::Welcome welcome_;
    std::uint64_t seed_ = 0;
    std::atomic<std::uint64_t> collectives_{0};
    std::atomic<bool> joined_{false};
    std::atomic<bool> leaving_{false};
    std::unique_ptr<coordination::Coordinator> coordinator_;
    std::unique_ptr<coordination::Client> client_;
};

}  // namespace lockstep::distribution
