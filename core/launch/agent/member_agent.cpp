// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/member_agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "core/base/exit_status.h"
#include "core/base/file.h"
#include "core/base/host_address.h"
#include "core/base/ids.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/ticket/job_keys.h"
#include "core/launch/agent/other_agents.h"
#include "core/launch/agent/stop_grace.h"
#include "core/run/worker_config.h"
#include "core/wire/context.h"

namespace lockstep::launch {

namespace {

/// Whether the memory of process 0's host is in the reach of the only worker that this agent has.
bool reachesMemoryOfProcess0(const MemberAgentOptions& options) {
    const wire::StartTicket& ticket = options.ticket;
    const bool alone =
        options.processes.size() == 1 && options.processes.front().role == wire::ROLE_WORKER;
    if (!alone || ticket.segment_path().empty() || ticket.host_identity().empty()) return false;
    return ticket.host_identity() == hostIdentity() &&
           UniqueFd(::open(ticket.segment_path().c_str(), O_RDWR | O_CLOEXEC)).valid();
}

std::string hostPart(const std::string& address) {
    return address.substr(0, address.rfind(':'));
}

}  // namespace

MemberAgent::MemberAgent(MemberAgentOptions options)
    : options_(std::move(options)),
      hostGroup_(reachesMemoryOfProcess0(options_) ? options_.ticket.host_group() : randomHex(8)),
      orders_(stopGraceOfMember(options_.job, false)),
      group_(
          {options_.workerProgram, options_.places, hostGroup_, options_.job.launch.keepsSteps(),
           options_.isReplaced ? keeperName(hostPart(options_.process0) + options_.ticket.run_dir(),
                                            options_.processes)
                               : std::string(),
           keeperPatience(options_.job), toNanos(options_.job.cluster.heartbeatTimeoutSeconds)},
          {options_.ticket.run_id(), options_.places.folder.string(), options_.job.name, false,
           options_.agentId},
          reports()) {}

WorkerGroup::Reports MemberAgent::reports() {
    return {
        .record =
            [this](wire::Record record) {
                // Lines are samples: what has no room is said there.
                if (const auto sent = client_->sendRecord(std::move(record)); !sent)
                    std::fprintf(stderr, "warning: not journalled: %s\n",
                                 sent.error().message.c_str());
            },
        .exit = [this](const wire::ProcessExit& exit,
                       std::uint32_t generation) { client_->reportProcessExit(exit, generation); },
        .held = [this](const wire::ProcessHeld& held,
                       std::uint32_t generation) { client_->reportProcessHeld(held, generation); },
        .running = {},
    };
}

/// "process 3 (host4)", "the evaluator (host4)", "processes 2 and 3 and 2 evaluators (host4)".
std::string MemberAgent::name() const {
    std::vector<int> workers;
    std::size_t evaluators = 0;
    for (const coordination::ProcessKey& key : options_.processes) {
        if (key.role == wire::ROLE_WORKER)
            workers.push_back(static_cast<int>(key.id));
        else
            ++evaluators;
    }
    std::string text;
    if (!workers.empty()) text = nounFor(workers.size(), "process") + " " + compressRanges(workers);
    if (evaluators > 0)
        text += (text.empty() ? "" : " and ") +
                (evaluators == 1 ? std::string("the evaluator") : counted(evaluators, "evaluator"));
    return fmt::format("{} ({})", text, hostName());
}

tl::unexpected<Error> MemberAgent::noPlace() const {
    return fail(ErrorCode::BadInput,
                fmt::format("{} has no place in the job that process 0 ({}) has started", name(),
                            options_.process0),
                "Give every process the same job file and the same number of processes, and each "
                "an id of its own.");
}

Result<void> MemberAgent::connect() {
    const auto keys = coordination::keysOf(options_.ticket, {wire::ROLE_AGENT, options_.agentId});
    if (!keys) return noPlace();
    auto context = TRY(wire::Context::make());
    coordination::ClientOptions options;
    options.endpoint = "tcp://" + options_.ticket.coordinator_address();
    options.serverPublicKey = keys->server_public();
    options.keys = {keys->own_public(), keys->own_secret()};
    options.runId = options_.ticket.run_id();
    options.heartbeatTimeout = toNanos(options_.job.cluster.heartbeatTimeoutSeconds);
    options.self.set_role(wire::ROLE_AGENT);
    options.self.set_process_id(options_.agentId);
    options.self.set_host(hostName());
    options.self.set_host_group(hostGroup_);
    options.self.set_pid(::getpid());
    client_ = TRY(coordination::Client::connect(context, std::move(options), inbox_.callbacks()));
    return {};
}

Result<void> MemberAgent::join(Nanos timeout) {
    std::ignore = TRY(client_->join(timeout));
    group_.enlist();
    return {};
}

MemberEnd MemberAgent::supervise(LauncherLine& launcher, const std::atomic<bool>& terminate) {
    options_.say(fmt::format("{} has joined run {} at {}, logs in {}", name(),
                             options_.ticket.run_id(), options_.ticket.coordinator_address(),
                             options_.places.logs().string()));
    if (!options_.copyHost.empty()) keepCopies();
    for (;;) {
        if (group_.poll(launcher.fd())) launcher.read();
        const bool isTold = terminate.load();
        if (isTold && !forTimeLimit_) {
            forTimeLimit_ =
                isForTimeLimit(options_.job, std::getenv("SLURM_JOB_END_TIME"), wallSeconds());
            orders_.setGrace(stopGraceOfMember(options_.job, *forTimeLimit_));
        }
        const EndOrders::Step step =
            orders_.next(isTold, launcher.isAbandoned(), SteadyClock::read());
        if (auto end = heedNews()) return *std::move(end);
        if (isTold && !launcher.isAbandoned() && step == EndOrders::Step::Force)
            options_.say(
                graceIsOver(stopGraceOfMember(options_.job, *forTimeLimit_), *forTimeLimit_));
        if (auto end = heedOrders(step)) return *std::move(end);
    }
}

void MemberAgent::keepCopies() {
    copies_ = std::make_unique<CopyKeeper>(
        CopyKeeper::Options{options_.places, options_.ticket.run_id(), options_.copyHost,
                            options_.jobToml().value_or(""), options_.agentId,
                            options_.job.checkpoint.keep},
        *client_);
}

std::optional<MemberEnd> MemberAgent::heedNews() {
    const AgentInbox::News news = inbox_.take();
    if (news.runOver) {
        group_.end();
        if (options_.ends) options_.ends(static_cast<int>(news.runOver->exit_status()));
        if (!news.runOver->begins_again()) group_.dropKeptSteps();
        if (copies_) copies_->finish(*news.runOver);
        const std::string& remedy = news.runOver->remedy();
        return MemberEnd{static_cast<int>(news.runOver->exit_status()), news.runOver->error(),
                         remedy.empty() ? remedy_ : remedy};
    }
    if (news.lost) {
        group_.endAtOnce();
        return MemberEnd{kExitFailed,
                         fmt::format("process 0 ({}): {}", options_.process0, *news.lost),
                         "See process 0's own words, and logs/process-0.log in the run folder."};
    }
    if (news.aborted) group_.end();
    if (news.generation && news.generation != generation_) {
        generation_ = news.generation;
        if (auto started = startGeneration(*news.generation); !started)
            reportStartFailure(*news.generation, started.error());
    }
    return std::nullopt;
}

std::optional<MemberEnd> MemberAgent::heedOrders(EndOrders::Step step) {
    if (step == EndOrders::Step::AskToStop) client_->requestStop();
    if (step != EndOrders::Step::Force) return std::nullopt;
    group_.endAtOnce();
    return MemberEnd{kExitStopped, {}};
}

Result<void> MemberAgent::startGeneration(std::uint32_t generation) {
    group_.end();
    TRY(checkRunFolder());
    auto processes = TRY(configs());
    TRY(renewMemory());
    return group_.begin(generation, std::move(processes), memory_.fd());
}

Result<void> MemberAgent::checkRunFolder() const {
    std::error_code error;
    if (std::filesystem::is_directory(options_.places.logs(), error)) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("{} does not see the run folder {} of process 0", name(),
                            options_.places.folder.string()),
                "Name a folder on a file system that all hosts share with "
                "--set job.run_dir=FOLDER.");
}

Result<void> MemberAgent::renewMemory() {
    if (hostGroup_ == options_.ticket.host_group())
        return memory_.borrow(options_.ticket.segment_path());
    const auto workers =
        std::ranges::count(options_.processes, wire::ROLE_WORKER, &coordination::ProcessKey::role);
    if (!ReplicaMemory::isUsed(options_.job, static_cast<int>(workers))) return {};
    return memory_.renew();
}

/// This host's address as the others reach it, in numbers.
std::string MemberAgent::ownAddress(const std::string& coordinator) const {
    if (!options_.ownHost.empty()) {
        auto named = addressOfHost(options_.ownHost);
        if (named && isOwnAddress(*named)) return *std::move(named);
    }
    return ownAddressToward(coordinator);
}

Result<std::vector<wire::WorkerConfig>> MemberAgent::configs() const {
    wire::StartTicket ticket = options_.ticket;  // which names things as process 0's host has them
    ticket.set_job_toml(TRY(options_.jobToml()));
    ticket.set_run_dir(options_.places.folder.string());
    const auto coordinator = TRY(config::parseAddress(ticket.coordinator_address()));
    const auto numeric = TRY(addressOfHost(coordinator.host));
    ticket.set_coordinator_address(config::toString(config::Address{numeric, coordinator.port}));
    std::vector<wire::WorkerConfig> configs;
    for (const coordination::ProcessKey& process : options_.processes) {
        auto config = run::workerConfigOf(ticket, options_.job, process);
        if (!config) return noPlace();
        config->set_job_dir(options_.jobFolder);
        config->set_fetch_checkpoints(!options_.seesRunFolder);
        config->set_address(config::toString(config::Address{ownAddress(numeric), 0}));
        if (options_.deviceChoice.local_ids_size() > 0)
            *config->mutable_device_choice() = options_.deviceChoice;
        configs.push_back(*std::move(config));
    }
    return configs;
}

/// The others must not wait for processes that will never be.
void MemberAgent::reportStartFailure(std::uint32_t generation, const Error& error) {
    remedy_ = error.remedy;
    for (const coordination::ProcessKey& process : options_.processes) {
        if (group_.runs(process)) continue;
        wire::ProcessExit exit;
        exit.set_role(process.role);
        exit.set_process_id(process.id);
        exit.set_status(isRefusal(error.code) ? kExitBadInput : kExitFailed);
        exit.set_last_error(error.message);
        client_->reportProcessExit(exit, generation);
    }
}

}  // namespace lockstep::launch
