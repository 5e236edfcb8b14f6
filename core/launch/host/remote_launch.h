// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/host/host_plan.h"
#include "core/launch/host/link_opener.h"
#include "core/launch/host/link_set.h"
#include "core/launch/host/run_restore.h"
#include "core/wire/messages/host.pb.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// A host that starts nothing until it takes the place of another one.
struct SpareHost {
    std::string host;     ///< As ssh knows it.
    std::string address;  ///< By which the others reach it.
};

/// What is to be launched on which hosts.
struct RemoteOrder {
    std::vector<HostPlan> plan;  ///< planHosts.
    /// As for a launch on this machine: run_id, run_dir (of this machine), job_toml, job_dir,
    /// resume, created_folder. The rest is filled in.
    wire::AgentConfig config;
    std::string folderName;     ///< Of the run, on hosts that do not see run_dir.
    std::string resumedDir;     ///< On process 0's host: where the run that is resumed lies.
    std::string resumedHost{};  ///< That had it at the run's last start; empty: process 0's.
    std::optional<CopyTakeover> takeover{};  ///< Instead of it.
    bool tied = false;
    double leaseSeconds = 10;
    std::vector<SpareHost> spares{};  ///< In the order in which they are taken.
    double spareAfterSeconds = 60;    ///< launch.spare_after_seconds
    wire::Examine examination{};      ///< What a spare is asked.
};

/// Where a run is served.
struct RemotePlace {
    std::string host;  ///< Process 0's, as ssh knows it.
    std::string runId;
    std::string runDir;    ///< On that host.
    bool visible = false;  ///< The same folder as the launcher's.
};

/// Why a launch has failed, or a run cannot be followed.
struct RemoteFailure {
    Error error;
    std::string host;           ///< Empty: of no host.
    std::uint32_t process = 0;  ///< The host's first.
    bool isUnreached = false;   ///< There is no connection to the host.
    bool isOwnFault = false;    ///< Its agent has crashed: neither killed nor out of reach.
};

/// The launch itself, step by step, over links that are opened for it. Blocks within timeouts; one
/// thread. When it fails everything that was started ends with the links.
class RemoteLaunch {
public:
    using Say = std::function<void(const std::string&)>;

    /// `links` gets one link a host of the plan, in its order. `cancelled` is looked at often.
    RemoteLaunch(const RemoteOrder& order, LinkSet& links, Say say,
                 const std::atomic<bool>& cancelled)
        : order_(order), links_(links), say_(std::move(say)), cancelled_(cancelled) {}

    [[nodiscard]] tl::expected<RemotePlace, RemoteFailure> run(const MakeLinks& makeLinks);
    /// Everything that was started is tied to its link until then. A run whose policy is detached
    /// goes on without them from now on. Cancelled: it was before; later it has no effect.
    using Step = tl::expected<void, RemoteFailure>;
    [[nodiscard]] Step detachAgents();

private:
    using Answers = tl::expected<std::vector<wire::FromHost>, RemoteFailure>;

    [[nodiscard]] Step openLinks(const MakeLinks& makeLinks);
    [[nodiscard]] Step greetHosts();
    [[nodiscard]] Step chooseFolders();
    [[nodiscard]] Step chooseCopies();
    [[nodiscard]] std::optional<FormerHome> formerHome() const;
    [[nodiscard]] std::vector<RunFolderOnHost> otherFolders(
        const std::optional<FormerHome>& former) const;
    [[nodiscard]] Step restoreRun();
    [[nodiscard]] Step startHomeAgent();
    [[nodiscard]] Step takeCountedReplicas();
    [[nodiscard]] Step joinAgents();
    [[nodiscard]] Answers askAll(const std::vector<std::pair<std::size_t, wire::ToHost>>& requests,
                                 Nanos timeout);
    [[nodiscard]] tl::unexpected<RemoteFailure> failureAt(std::size_t host, Error error) const;
    [[nodiscard]] tl::unexpected<RemoteFailure> cancelledAt(std::size_t host) const;
    [[nodiscard]] Step checkReady(std::size_t host, const wire::AgentReady& ready) const;
    [[nodiscard]] wire::StartTicket ticketFor(const wire::StartTicket& ofHome) const;
    [[nodiscard]] std::string privateFolderOf(std::size_t host) const;
    [[nodiscard]] std::string newFolder(const CopyTakeover& takeover) const;

    const RemoteOrder& order_;
    LinkSet& links_;
    Say say_;
    const std::atomic<bool>& cancelled_;
    bool heedsCancel_ = true;
    std::vector<wire::HostGreeting> greetings_;
    RemotePlace place_;
    std::vector<bool> seesRun_;            ///< By host: the run's folder of process 0's host.
    std::optional<std::size_t> copyHost_;  ///< That keeps a copy of the run.
    std::string copiesNeedless_;           ///< A host that sees the run's folder, too.
    std::string restored_;                 ///< What was fetched for this start.
    std::string jobToml_;                  ///< That process 0's agent goes by.
    wire::AgentReady home_;
};

}  // namespace lockstep::launch
