// SPDX-License-Identifier: Apache-2.0
// What the agents of other hosts need to join: keys, in a file or for the launcher to hand over.
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/core/process_key.h"
#include "core/coordination/ticket/start_ticket.h"
#include "core/launch/agent/agent.h"
#include "core/launch/agent/other_agents.h"

namespace lockstep::launch {

/// What every ticket of this run says, without keys.
wire::StartTicket Agent::blankTicket() const {
    wire::StartTicket ticket;
    ticket.set_run_id(config_.run_id());
    ticket.set_run_dir(folder_.paths().folder.string());
    ticket.set_job_toml(config_.job_toml());
    ticket.set_server_public(serverKeys_.publicKey);
    return ticket;
}

/// A key for a process that another agent starts, or for that agent.
Result<void> Agent::addKeys(const coordination::ProcessKey& key, wire::StartTicket& ticket) {
    auto keys = TRY(wire::newKeyPair());
    const std::string user = coordination::userIdOf(key);
    TRY(coordinator_->allowMember(keys.publicKey, user));
    wire::MemberKeys& entry = *ticket.add_members();
    entry.set_user(user);
    entry.set_own_public(keys.publicKey);
    entry.set_own_secret(keys.secretKey);
    if (key.role == wire::ROLE_AGENT) ++awaitedAgents_;
    return {};
}

/// Keys for those of the job that others start, in a file that only this user can read.
Result<void> Agent::offerTicket() {
    if (config_.ticket_file().empty()) return {};
    wire::StartTicket ticket = blankTicket();
    const auto whole = config::parseAddress(config_.coordinator_host());
    ticket.set_coordinator_address(config::toString(
        whole ? *whole : config::Address{config_.coordinator_host(), coordinator_->port()}));
    ticket.set_host_identity(hostIdentity());
    ticket.set_host_group(hostGroup_);
    if (segment_.valid())
        ticket.set_segment_path(fmt::format("/proc/{}/fd/{}", ::getpid(), segment_.get()));
    for (const auto& [process, agent] : agentsElsewhere(config_, workerCount())) {
        for (const coordination::ProcessKey& key :
             {process, coordination::ProcessKey{wire::ROLE_AGENT, agent}})
            TRY(addKeys(key, ticket));
    }
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::path(config_.ticket_file()).parent_path() == folder_.paths().folder)
        fs::permissions(folder_.paths().folder, fs::perms::group_write | fs::perms::others_write,
                        fs::perm_options::remove, ignored);  // keys lie in it; checked below
    auto written = coordination::writeTicket(config_.ticket_file(), ticket);
    if (!written) return fail(written.error());
    ticketLock_ = std::move(*written);
    return {};
}

/// Keys for the agents of other hosts, which the launcher hands to each its own.
Result<void> Agent::makeTickets() {
    for (const wire::OtherAgent& other : config_.other_agents()) {
        wire::StartTicket ticket = blankTicket();
        ticket.set_coordinator_address(
            coordinator_->memberEndpoint().substr(std::string("tcp://").size()));
        const std::uint32_t agent = memberIdOf(other, workerCount());
        TRY(addKeys({wire::ROLE_AGENT, agent}, ticket));
        for (const std::uint32_t id : other.process_ids())
            TRY(addKeys({wire::ROLE_WORKER, id}, ticket));
        if (other.start_evaluator()) TRY(addKeys({wire::ROLE_EVALUATOR, 0}, ticket));
        tickets_.push_back(std::move(ticket));
    }
    return {};
}

void Agent::withdrawTicket() const {
    std::error_code ignored;
    if (ticketLock_.valid()) std::filesystem::remove(config_.ticket_file(), ignored);
}

/// Who has not come yet shall not wait for a run that is over. Null: all have come, or will not.
std::unique_ptr<StartRefusal> Agent::refuseLateComers(const coordination::Outcome& outcome,
                                                      const wire::RunEnd& end) const {
    if (end.exit_status() == 0 || outcome.agents >= awaitedAgents_) return nullptr;
    wire::StartTicket refusal;
    refusal.set_run_id(config_.run_id());
    refusal.set_run_dir(folder_.paths().folder.string());
    refusal.set_error(fmt::format("run {} was {} before this process had joined{}{}",
                                  config_.run_id(), end.status() == "stopped" ? "stopped" : "over",
                                  end.error().empty() ? "" : ": ", end.error()));
    refusal.set_remedy(end.remedy());
    refusal.set_exit_status(end.exit_status());
    return std::make_unique<StartRefusal>(config_, refusal);
}

}  // namespace lockstep::launch
