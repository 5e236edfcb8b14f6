// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/server/hosted_coordinator.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "core/base/ids.h"
#include "core/base/runtime_folder.h"
#include "core/base/try.h"
#include "core/coordination/monitor/monitor_key.h"
#include "core/wire/context.h"

namespace lockstep::coordination {

JobRules rulesOf(const config::ClusterSpec& cluster) {
    JobRules rules;
    rules.workers = static_cast<std::uint32_t>(cluster.numProcesses);
    rules.evaluators = cluster.evaluator ? 1 : 0;
    rules.seedWord = newIncarnation() >> 1;
    rules.initializationTimeout = toNanos(cluster.initializationTimeoutSeconds);
    rules.heartbeatTimeout = toNanos(cluster.heartbeatTimeoutSeconds);
    return rules;
}

Result<std::unique_ptr<HostedCoordinator>> HostedCoordinator::start(CoordinatorOptions options,
                                                                    JobKeys keys,
                                                                    const std::string& folderName) {
    auto context = TRY(wire::Context::make());
    auto folder = TRY(makeRuntimeFolder(folderName));
    auto hosted = std::unique_ptr<HostedCoordinator>(
        new HostedCoordinator(options.rules.runId, std::move(keys), std::move(folder)));
    hosted->listensEverywhere_ = options.bindHost == "*";
    options.keys = hosted->keys_.coordinator();
    options.monitorSocket = hosted->folder_ / "monitor";
    if (options.journal.empty()) options.journal = hosted->folder_ / "journal";
    hosted->coordinator_ = TRY(Coordinator::start(context, std::move(options)));
    return hosted;
}

HostedCoordinator::~HostedCoordinator() {
    coordinator_.reset();
    removeFolder();
}

void HostedCoordinator::removeFolder() const {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string HostedCoordinator::memberAddress() const {
    return coordinator_->memberEndpoint().substr(std::string("tcp://").size());
}

std::string HostedCoordinator::addressHere() const {
    return listensEverywhere_ ? fmt::format("127.0.0.1:{}", coordinator_->port()) : memberAddress();
}

wire::StartTicket HostedCoordinator::blankTicket() const {
    wire::StartTicket ticket;
    ticket.set_run_id(runId_);
    ticket.set_server_public(keys_.coordinator().publicKey);
    return ticket;
}

Result<void> HostedCoordinator::admit(const ProcessKey& process, wire::StartTicket& ticket) const {
    auto member = TRY(keys_.makeFor(process));
    TRY(coordinator_->allowMember(member.own_public(), member.user()));
    *ticket.add_members() = std::move(member);
    return {};
}

Result<void> HostedCoordinator::admitMonitors() const {
    MonitorKey key;
    key.serverPublicKey = keys_.coordinator().publicKey;
    key.keys = TRY(wire::newKeyPair());
    TRY(coordinator_->allowMonitor(key.keys.publicKey));
    return writeMonitorKey(monitorKeyFile(), key);
}

}  // namespace lockstep::coordination
