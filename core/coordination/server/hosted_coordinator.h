// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/server/coordinator.h"
#include "core/coordination/state/process_key.h"
#include "core/coordination/ticket/job_keys.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::coordination {

/// The rules of a job on this cluster.
[[nodiscard]] JobRules rulesOf(const config::ClusterSpec& cluster);

/// A coordinator with what it takes to host one, whoever does: the job's keys, and the user's
/// private folder with the monitors' socket, which goes with this.
class HostedCoordinator {
public:
    /// `options`: all but the keys and the monitors' socket; without a journal's place the journal
    /// lies in the private folder, which is called `folderName`.
    [[nodiscard]] static Result<std::unique_ptr<HostedCoordinator>> start(
        CoordinatorOptions options, JobKeys keys, const std::string& folderName);
    ~HostedCoordinator();
    HostedCoordinator(const HostedCoordinator&) = delete;
    HostedCoordinator& operator=(const HostedCoordinator&) = delete;

    [[nodiscard]] Coordinator& operator*() const { return *coordinator_; }
    [[nodiscard]] Coordinator* operator->() const { return coordinator_.get(); }
    /// host:port, as it listens.
    [[nodiscard]] std::string memberAddress() const;
    /// host:port, where processes of this machine reach it.
    [[nodiscard]] std::string addressHere() const;

    /// A ticket that names the job and is for nobody yet.
    [[nodiscard]] wire::StartTicket blankTicket() const;
    /// Admits a process, and adds its keys to a ticket.
    [[nodiscard]] Result<void> admit(const ProcessKey& process, wire::StartTicket& ticket) const;

    /// Leaves a key for the monitors of this user.
    [[nodiscard]] Result<void> admitMonitors() const;
    [[nodiscard]] std::filesystem::path monitorKeyFile() const { return folder_ / "monitor.key"; }

    /// For a process that ends without destructors.
    void removeFolder() const;

private:
    HostedCoordinator(std::string runId, JobKeys keys, std::filesystem::path folder)
        : runId_(std::move(runId)), keys_(std::move(keys)), folder_(std::move(folder)) {}

    const std::string runId_;
    const JobKeys keys_;
    const std::filesystem::path folder_;
    bool listensEverywhere_ = false;
    std::unique_ptr<Coordinator> coordinator_;
};

}  // namespace lockstep::coordination
