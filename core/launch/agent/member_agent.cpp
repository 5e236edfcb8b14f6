// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/member_agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "core/base/exit_status.h"
#include "core/base/host_address.h"
#include "core/base/ids.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/cluster_spec.h"
#include "core/wire/context.h"

namespace lockstep::launch {

namespace {

constexpr Millis kTick{50};
constexpr std::chrono::seconds kOwnEndPatience{1};
constexpr std::chrono::seconds kStopGrace{25};      ///< From SIGTERM to the end by force.
constexpr std::chrono::seconds kAbandonedGrace{3};  ///< Likewise, once nobody waits for the job.

Nanos nanos(double seconds) {
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

/// As WorkerConfig and the exits name a process: there is one evaluator, whatever its agent's id.
std::uint32_t processIdOf(const coordination::ProcessKey& key) {
    return key.role == wire::ROLE_EVALUATOR ? 0 : key.id;
}

}  // namespace

MemberAgent::MemberAgent(MemberAgentOptions options) : options_(std::move(options)) {}

std::string MemberAgent::name() const {
    std::vector<int> workers;
    bool evaluator = false;
    for (const coordination::ProcessKey& key : options_.processes) {
        if (key.role == wire::ROLE_WORKER)
            workers.push_back(static_cast<int>(key.id));
        else
            evaluator = true;
    }
    std::string text;
    if (!workers.empty()) text = nounFor(workers.size(), "process") + " " + compressRanges(workers);
    if (evaluator) text += text.empty() ? "the evaluator" : " and the evaluator";
    return fmt::format("{} ({})", text, hostName());
}

Result<wire::CurveKeys> MemberAgent::keysOf(const coordination::ProcessKey& key) const {
    const std::string user = coordination::userIdOf(key);
    for (const wire::MemberKeys& member : options_.ticket.members()) {
        if (member.user() != user) continue;
        wire::CurveKeys keys;
        keys.set_server_public(options_.ticket.server_public());
        keys.set_own_public(member.own_public());
        keys.set_own_secret(member.own_secret());
        return keys;
    }
    return fail(ErrorCode::BadInput,
                fmt::format("{} has no place in the job that process 0 ({}) has started", name(),
                            options_.process0),
                "Give every process the same job file and the same number of processes, and each "
                "an id of its own.");
}

/// The memory of process 0's host, when this agent's only worker is on it.
UniqueFd MemberAgent::openSegmentOfProcess0() const {
    const wire::StartTicket& ticket = options_.ticket;
    const bool alone =
        options_.processes.size() == 1 && options_.processes.front().role == wire::ROLE_WORKER;
    const bool here = alone && !ticket.segment_path().empty() && !ticket.host_identity().empty() &&
                      ticket.host_identity() == hostIdentity();
    return UniqueFd(here ? ::open(ticket.segment_path().c_str(), O_RDWR | O_CLOEXEC) : -1);
}

/// The memory that the workers of a generation share; invalid: none is needed.
Result<UniqueFd> MemberAgent::segment() const {
    if (hostGroup_ == options_.ticket.host_group()) {
        UniqueFd of0 = openSegmentOfProcess0();
        if (!of0.valid())
            return fail(ErrorCode::PeerLost, "the memory that process 0's agent shares is gone");
        return of0;
    }
    const auto workers =
        std::ranges::count(options_.processes, wire::ROLE_WORKER, &coordination::ProcessKey::role);
    if (workers < 2 || options_.job.cluster.transport == config::Transport::Gloo ||
        options_.job.launch.runsOwnProgram())
        return UniqueFd();
    UniqueFd fresh(::memfd_create("lockstep-replicas", MFD_CLOEXEC));
    if (!fresh.valid()) return fail(ErrorCode::Io, "cannot create shared memory: " + errnoText());
    return fresh;
}

Result<void> MemberAgent::connect() {
    auto keys = TRY(keysOf({wire::ROLE_AGENT, options_.agentId}));
    hostGroup_ = openSegmentOfProcess0().valid() ? options_.ticket.host_group() : randomHex(8);
    auto context = TRY(wire::Context::make());
    coordination::ClientOptions options;
    options.endpoint = "tcp://" + options_.ticket.coordinator_address();
    options.serverPublicKey = keys.server_public();
    options.keys = {keys.own_public(), keys.own_secret()};
    options.runId = options_.ticket.run_id();
    options.heartbeatTimeout = nanos(options_.job.cluster.heartbeatTimeoutSeconds);
    options.self.set_role(wire::ROLE_AGENT);
    options.self.set_process_id(options_.agentId);
    options.self.set_host(hostName());
    options.self.set_host_group(hostGroup_);
    options.self.set_pid(::getpid());
    client_.reset();
    client_ = TRY(coordination::Client::connect(context, std::move(options), inbox_.callbacks()));
    return {};
}

Result<void> MemberAgent::join(Nanos timeout) {
    TRY(client_->join(timeout));
    return {};
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

/// What the configurations of all processes of this host have in common.
Result<wire::WorkerConfig> MemberAgent::commonConfig(std::uint32_t generation) const {
    auto job = TRY(options_.jobToml());
    auto coordinator = TRY(config::parseAddress(options_.ticket.coordinator_address()));
    auto numeric = TRY(addressOfHost(coordinator.host));
    std::string own = ownAddressToward(numeric);
    if (!options_.ownHost.empty()) {
        auto named = addressOfHost(options_.ownHost);
        if (named && isOwnAddress(*named)) own = *named;
    }
    wire::WorkerConfig worker;
    worker.set_run_id(options_.ticket.run_id());
    worker.set_run_dir(options_.places.folder.string());
    worker.set_fetch_checkpoints(!options_.seesRunFolder);
    worker.set_job_toml(job);
    worker.set_job_dir(options_.jobFolder);
    worker.set_num_processes(static_cast<std::uint32_t>(options_.job.cluster.numProcesses));
    worker.set_generation(generation);
    worker.set_coordinator_address(config::toString(config::Address{numeric, coordinator.port}));
    worker.set_host_group(hostGroup_);
    worker.set_address(config::toString(config::Address{own, 0}));
    worker.set_outlives_termination(true);
    worker.set_own_program(options_.job.launch.runsOwnProgram());
    return worker;
}

Result<void> MemberAgent::startGeneration(std::uint32_t generation) {
    if (processes_) processes_->terminate(kOwnEndPatience, Nanos{});
    generation_ = generation;
    TRY(checkRunFolder());
    processes_ = std::make_unique<HostProcesses>(
        options_.workerProgram, options_.places,
        HostProcesses::Callbacks{
            .onLine =
                [this](const wire::LogLine& line) {
                    wire::Record record;
                    *record.mutable_log() = line;
                    std::ignore = client_->sendRecord(std::move(record));  // samples: counted there
                },
            .onExit =
                [this](const wire::ProcessExit& exit) {
                    client_->reportProcessExit(exit, generation_.value_or(0));
                },
        });
    return startProcesses(generation);
}

Result<void> MemberAgent::startProcesses(std::uint32_t generation) {
    auto config = TRY(commonConfig(generation));
    auto memory = TRY(segment());
    for (const coordination::ProcessKey& key : options_.processes) {
        *config.mutable_keys() = TRY(keysOf({key.role, processIdOf(key)}));
        config.set_role(key.role);
        config.set_process_id(processIdOf(key));
        config.set_segment_fd(key.role == wire::ROLE_WORKER ? memory.get() : -1);
        TRY(processes_->start(config, static_cast<int>(config.segment_fd())));
    }
    return {};
}

/// The others must not wait for processes that will never be.
void MemberAgent::reportStartFailure(const Error& error) {
    remedy_ = error.remedy;
    const std::vector<ProcessEntry> running = entries();
    for (const coordination::ProcessKey& key : options_.processes) {
        const bool runs = std::ranges::any_of(running, [&](const ProcessEntry& entry) {
            return (entry.role == "evaluator") == (key.role == wire::ROLE_EVALUATOR) &&
                   entry.processId == static_cast<int>(processIdOf(key));
        });
        if (!runs) reportNotStarted(key, error);
    }
}

void MemberAgent::reportNotStarted(const coordination::ProcessKey& key, const Error& error) {
    wire::ProcessExit exit;
    exit.set_role(key.role);
    exit.set_process_id(processIdOf(key));
    exit.set_status(isRefusal(error.code) ? kExitBadInput : kExitFailed);
    exit.set_last_error(error.message);
    client_->reportProcessExit(exit, generation_.value_or(0));
}

MemberEnd MemberAgent::supervise(const Orders& orders) {
    options_.say(fmt::format("{} has joined run {} at {}, logs in {}", name(),
                             options_.ticket.run_id(), options_.ticket.coordinator_address(),
                             options_.places.logs().string()));
    for (;;) {
        if (processes_)
            processes_->poll(kTick, -1);
        else
            std::this_thread::sleep_for(kTick);
        orders.onTick();
        heedOrders(orders);
        const AgentInbox::News news = inbox_.take();
        if (news.runOver) {
            endProcesses(kOwnEndPatience);
            return {static_cast<int>(news.runOver->exit_status()), news.runOver->error(),
                    news.runOver->remedy().empty() ? remedy_ : news.runOver->remedy()};
        }
        if (news.lost) {
            endProcesses(Nanos{});
            return {1, fmt::format("process 0 ({}): {}", options_.process0, *news.lost),
                    "See process 0's own words, and logs/process-0.log in the run folder."};
        }
        if (news.aborted) endProcesses(kOwnEndPatience);
        if (news.generation && news.generation != generation_) {
            if (auto started = startGeneration(*news.generation); !started)
                reportStartFailure(started.error());
        }
        if (stopDeadline_ && SteadyClock::read() > *stopDeadline_) {
            endProcesses(Nanos{});
            return {3, "", ""};
        }
    }
}

void MemberAgent::endProcesses(Nanos patience) {
    if (processes_) processes_->terminate(patience, Nanos{});  // they outlive a SIGTERM
}

void MemberAgent::heedOrders(const Orders& orders) {
    const bool abandoned = orders.abandoned();
    if (!abandoned && !orders.terminate.load()) return;
    const Nanos now = SteadyClock::read();
    if (!stopDeadline_) {
        client_->requestStop();
        stopDeadline_ = now + kStopGrace;
    }
    if (abandoned) stopDeadline_ = std::min(*stopDeadline_, now + kAbandonedGrace);
}

std::vector<ProcessEntry> MemberAgent::entries() const {
    return processes_ ? processes_->entries() : std::vector<ProcessEntry>();
}

}  // namespace lockstep::launch
