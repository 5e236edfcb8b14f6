// SPDX-License-Identifier: Apache-2.0
#include "core/launch/joined_agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <deque>
#include <memory>
#include <optional>
#include <thread>

#include "core/base/file.h"
#include "core/base/host_address.h"
#include "core/base/ids.h"
#include "core/base/mutex.h"
#include "core/config/cluster_spec.h"
#include "core/config/job_file.h"
#include "core/coordination/client.h"
#include "core/coordination/process_key.h"
#include "core/coordination/start_ticket.h"
#include "core/launch/host_processes.h"
#include "core/launch/job_difference.h"
#include "core/launch/run_folder.h"
#include "core/wire/context.h"

namespace lockstep::launch {

namespace {

constexpr Millis kTick{50};
constexpr Millis kJoinSlice{500};
constexpr std::chrono::seconds kSayAgain{5};
constexpr std::chrono::seconds kAfterTheCoordinator{5};  ///< Its sentence names who is missing.
constexpr std::chrono::seconds kTicketPatience{3};       ///< For the ticket of a newer start.
constexpr std::chrono::seconds kOwnEndPatience{1};
constexpr std::chrono::seconds kStopGrace{25};  ///< From SIGTERM to the end by force.

Nanos nanos(double seconds) {
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

/// What the coordinator's client tells from its thread, for the agent's own.
class Inbox {
public:
    struct News {
        std::optional<std::uint32_t> generation;
        std::optional<wire::RunEnd> runOver;
        std::optional<std::string> lost;
        bool aborted = false;
    };

    coordination::ClientCallbacks callbacks() {
        return {
            .fillHeartbeat = {},
            .onAbort = [this](const std::string&,
                              int) { change([](News& n) { n.aborted = true; }); },
            .onStop = {},
            .onGeneration =
                [this](std::uint32_t generation) {
                    change([generation](News& n) { n.generation = generation; });
                },
            .onRunOver =
                [this](const wire::RunEnd& end) { change([&end](News& n) { n.runOver = end; }); },
            .onLost =
                [this](const std::string& cause) { change([&cause](News& n) { n.lost = cause; }); },
        };
    }
    [[nodiscard]] News take() {
        Lock lock(mutex_);
        return std::exchange(news_, {});
    }

private:
    template <typename Change>
    void change(Change&& how) {
        Lock lock(mutex_);
        how(news_);
    }

    Mutex mutex_;
    News news_ LS_GUARDED_BY(mutex_);
};

class JoinedAgent {
public:
    JoinedAgent(const JoinOptions& options, std::atomic<bool>& terminate)
        : options_(options),
          terminate_(terminate),
          deadline_(SteadyClock::read() + nanos(options.job.cluster.initializationTimeoutSeconds) +
                    kAfterTheCoordinator),
          began_(SteadyClock::read()) {}

    JoinedEnd run();

private:
    [[nodiscard]] std::string name() const {
        return coordination::nameOf({options_.role, options_.processId}, hostName());
    }
    Result<void> awaitTicket();
    Result<void> join();
    Result<void> connect();
    [[nodiscard]] UniqueFd openSegment() const;
    Result<bool> joinOnce();
    [[nodiscard]] bool isBelievable(const wire::StartTicket& ticket) const;
    Result<bool> ticketChanges();
    bool ticketIsReplacedSoon();
    Result<void> checkRunFolder() const;
    Result<void> startWorker(std::uint32_t generation);
    void reportNoWorker(const Error& error);
    void endWorker(Nanos patience);
    Result<wire::WorkerConfig> workerConfig(std::uint32_t generation) const;
    JoinedEnd supervise();
    void heedTermination();
    [[nodiscard]] Result<wire::CurveKeys> keysOf(const coordination::ProcessKey& key) const;
    [[nodiscard]] JoinedEnd ended(const Error& error) const;
    void sayAwaiting();

    const JoinOptions& options_;
    std::atomic<bool>& terminate_;
    const Nanos deadline_;
    const Nanos began_;
    Nanos saidAt_{};
    wire::StartTicket ticket_;
    std::string hostGroup_;  ///< Process 0's where its memory can be shared, else of its own.
    Inbox inbox_;
    std::unique_ptr<coordination::Client> client_;
    std::unique_ptr<HostProcesses> processes_;
    std::optional<std::uint32_t> generation_;
    std::optional<Nanos> stopDeadline_;
    std::string remedy_;  ///< Of a worker that this agent could not start.
};

JoinedEnd JoinedAgent::run() {
    if (auto joined = join(); !joined) {
        if (ticket_.error().empty()) return ended(joined.error());
        return {static_cast<int>(ticket_.exit_status()), ticket_.error(), ticket_.remedy(),
                ticket_.run_dir()};
    }
    return supervise();
}

JoinedEnd JoinedAgent::ended(const Error& error) const {
    JoinedEnd end;
    const bool badInput = error.code == ErrorCode::BadInput || error.code == ErrorCode::NotFound ||
                          error.code == ErrorCode::Unavailable;
    const bool stopped = error.code == ErrorCode::Cancelled;
    end.exitStatus = stopped ? 3 : badInput ? 2 : 1;
    if (!stopped) end.error = end.exitStatus == 1 ? name() + ": " + error.message : error.message;
    end.remedy = error.remedy;
    end.runFolder = ticket_.run_dir();
    return end;
}

void JoinedAgent::sayAwaiting() {
    const Nanos now = SteadyClock::read();
    if (saidAt_ != Nanos{} && now - saidAt_ < kSayAgain) return;
    saidAt_ = now;
    options_.say(fmt::format("{} waits for process 0 at {} to write {} ({:.0f} s of {:.0f} s)",
                             name(), options_.process0, options_.ticketFile.string(),
                             Seconds(now - began_).count(),
                             options_.job.cluster.initializationTimeoutSeconds));
}

Result<void> JoinedAgent::awaitTicket() {
    const Nanos deadline = deadline_ - kAfterTheCoordinator;
    while (!terminate_.load()) {
        auto ticket = coordination::readTicket(options_.ticketFile);
        if (!ticket) return fail(ticket.error());
        if (*ticket && isBelievable(**ticket)) {
            ticket_ = std::move(**ticket);
            if (ticket_.error().empty()) return {};
            return fail(ErrorCode::BadInput, ticket_.error(), ticket_.remedy());
        }
        if (SteadyClock::read() >= deadline)
            return fail(
                ErrorCode::Timeout,
                fmt::format("process 0 ({}) is missing: it did not write {} within {:.3g} s",
                            options_.process0, options_.ticketFile.string(),
                            options_.job.cluster.initializationTimeoutSeconds),
                "Check that process 0 was started, and that its folder is on a file system that "
                "all hosts share.\n"
                "For slow starts raise cluster.initialization_timeout_seconds.");
        sayAwaiting();
        std::this_thread::sleep_for(kTick);
    }
    return fail(ErrorCode::Cancelled, "stopped before process 0 was there");
}

/// A refusal that a dead process 0 has left was said to an earlier start.
bool JoinedAgent::isBelievable(const wire::StartTicket& ticket) const {
    return ticket.error().empty() || options_.ticketNamesStart ||
           coordination::isHeld(options_.ticketFile);
}

Result<wire::CurveKeys> JoinedAgent::keysOf(const coordination::ProcessKey& key) const {
    const std::string user = coordination::userIdOf(key);
    for (const wire::MemberKeys& member : ticket_.members()) {
        if (member.user() != user) continue;
        wire::CurveKeys keys;
        keys.set_server_public(ticket_.server_public());
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

/// Joins the coordinator that the ticket names. An abandoned ticket of a former start may lie
/// there until the new process 0 replaces it: then all begins anew.
Result<void> JoinedAgent::join() {
    for (;;) {
        if (auto there = awaitTicket(); !there) return there;
        if (auto connected = connect(); !connected) {
            if (ticketIsReplacedSoon()) continue;
            return connected;
        }
        auto joined = joinOnce();
        if (!joined) return fail(joined.error());
        if (*joined) return {};
        client_.reset();
    }
}

/// The memory of process 0's host, when this worker is on it.
UniqueFd JoinedAgent::openSegment() const {
    const bool here = options_.role == wire::ROLE_WORKER && !ticket_.segment_path().empty() &&
                      !ticket_.host_identity().empty() && ticket_.host_identity() == hostIdentity();
    return UniqueFd(here ? ::open(ticket_.segment_path().c_str(), O_RDWR | O_CLOEXEC) : -1);
}

Result<void> JoinedAgent::connect() {
    auto keys = keysOf({wire::ROLE_AGENT, options_.processId});
    if (!keys) return fail(keys.error());
    hostGroup_ = openSegment().valid() ? ticket_.host_group() : randomHex(8);
    auto context = wire::Context::make();
    if (!context) return fail(context.error());
    coordination::ClientOptions options;
    options.endpoint = "tcp://" + ticket_.coordinator_address();
    options.serverPublicKey = keys->server_public();
    options.keys = {keys->own_public(), keys->own_secret()};
    options.runId = ticket_.run_id();
    options.heartbeatTimeout = nanos(options_.job.cluster.heartbeatTimeoutSeconds);
    options.self.set_role(wire::ROLE_AGENT);
    options.self.set_process_id(options_.processId);
    options.self.set_host(hostName());
    options.self.set_host_group(hostGroup_);
    options.self.set_pid(::getpid());
    auto client = coordination::Client::connect(*context, std::move(options), inbox_.callbacks());
    if (!client) return fail(client.error());
    client_ = std::move(*client);
    return {};
}

/// True: joined. False: the ticket has been replaced.
Result<bool> JoinedAgent::joinOnce() {
    while (!terminate_.load()) {
        auto welcome = client_->join(kJoinSlice);
        if (welcome) return true;
        const bool goesOn = welcome.error().code == ErrorCode::Timeout;
        auto changed = ticketChanges();
        if (!changed) return fail(changed.error());
        if (*changed) return false;
        if (!goesOn) {
            if (ticketIsReplacedSoon()) return false;
            return fail(welcome.error());
        }
        if (SteadyClock::read() >= deadline_)
            return fail(ErrorCode::Timeout,
                        fmt::format("the coordinator of process 0 at {} did not answer within "
                                    "{:.3g} s",
                                    ticket_.coordinator_address(),
                                    options_.job.cluster.initializationTimeoutSeconds),
                        "Check that this host reaches that address and port.");
        sayAwaiting();
    }
    return fail(ErrorCode::Cancelled, "stopped before the job began");
}

Result<bool> JoinedAgent::ticketChanges() {
    auto now = coordination::readTicket(options_.ticketFile);
    if (!now) return fail(now.error());
    return !*now || (*now)->run_id() != ticket_.run_id() || !(*now)->error().empty();
}

/// What does not fit this process may be of an earlier start, as a new process 0 will find, too.
bool JoinedAgent::ticketIsReplacedSoon() {
    const Nanos patience = SteadyClock::read() + kTicketPatience;
    while (!terminate_.load() && SteadyClock::read() < patience) {
        const auto changed = ticketChanges();
        if (changed && *changed) return true;
        std::this_thread::sleep_for(kTick);
    }
    return false;
}

Result<void> JoinedAgent::checkRunFolder() const {
    const RunPaths paths{ticket_.run_dir()};
    std::error_code error;
    if (!std::filesystem::is_directory(paths.logs(), error))
        return fail(ErrorCode::BadInput,
                    fmt::format("{} does not see the run folder {} of process 0", name(),
                                paths.folder.string()),
                    "Name a folder on a file system that all hosts share with "
                    "--set job.run_dir=FOLDER.");
    return {};
}

Result<wire::WorkerConfig> JoinedAgent::workerConfig(std::uint32_t generation) const {
    if (auto same = checkSameJob(options_.job, ticket_.job_toml(), name()); !same)
        return fail(same.error());
    auto keys =
        keysOf({options_.role, options_.role == wire::ROLE_EVALUATOR ? 0 : options_.processId});
    if (!keys) return fail(keys.error());
    auto job = jobHere(ticket_.job_toml(), options_.job, options_.jobFolder);
    if (!job) return fail(job.error());
    auto coordinator = config::parseAddress(ticket_.coordinator_address());
    if (!coordinator) return fail(coordinator.error());
    auto numeric = addressOfHost(coordinator->host);
    if (!numeric) return fail(numeric.error());
    std::string own = ownAddressToward(*numeric);
    if (!options_.ownHost.empty()) {
        auto named = addressOfHost(options_.ownHost);
        if (named && isOwnAddress(*named)) own = *named;
    }
    wire::WorkerConfig worker;
    worker.set_run_id(ticket_.run_id());
    worker.set_run_dir(ticket_.run_dir());
    worker.set_job_toml(*job);
    worker.set_job_dir(options_.jobFolder);
    worker.set_role(options_.role);
    worker.set_process_id(options_.role == wire::ROLE_EVALUATOR ? 0 : options_.processId);
    worker.set_num_processes(static_cast<std::uint32_t>(options_.job.cluster.numProcesses));
    worker.set_generation(generation);
    worker.set_coordinator_address(config::toString(config::Address{*numeric, coordinator->port}));
    *worker.mutable_keys() = std::move(*keys);
    worker.set_host_group(hostGroup_);
    worker.set_address(config::toString(config::Address{own, 0}));
    worker.set_outlives_termination(true);
    worker.set_own_program(options_.job.launch.runsOwnProgram());
    return worker;
}

Result<void> JoinedAgent::startWorker(std::uint32_t generation) {
    if (processes_) processes_->terminate(kOwnEndPatience, Nanos{});
    generation_ = generation;
    if (auto seen = checkRunFolder(); !seen) return seen;
    processes_ = std::make_unique<HostProcesses>(
        options_.workerProgram, RunPaths{ticket_.run_dir()},
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
    auto config = workerConfig(generation);
    if (!config) return fail(config.error());
    const UniqueFd segment = openSegment();
    if (hostGroup_ == ticket_.host_group() && !segment.valid())
        return fail(ErrorCode::PeerLost, "the memory that process 0's agent shares is gone");
    config->set_segment_fd(segment.get());
    return processes_->start(*config, segment.get());
}

/// The others must not wait for a worker that will never be.
void JoinedAgent::reportNoWorker(const Error& error) {
    remedy_ = error.remedy;
    wire::ProcessExit exit;
    exit.set_role(options_.role);
    exit.set_process_id(options_.role == wire::ROLE_EVALUATOR ? 0 : options_.processId);
    exit.set_status(ended(error).exitStatus);
    exit.set_last_error(error.message);
    client_->reportProcessExit(exit, generation_.value_or(0));
}

JoinedEnd JoinedAgent::supervise() {
    options_.say(fmt::format("{} has joined run {} at {}, logs in {}", name(), ticket_.run_id(),
                             ticket_.coordinator_address(),
                             RunPaths{ticket_.run_dir()}.logs().string()));
    for (;;) {
        if (processes_)
            processes_->poll(kTick, -1);
        else
            std::this_thread::sleep_for(kTick);
        heedTermination();
        const Inbox::News news = inbox_.take();
        if (news.runOver) {
            endWorker(kOwnEndPatience);
            return {static_cast<int>(news.runOver->exit_status()), news.runOver->error(),
                    news.runOver->remedy().empty() ? remedy_ : news.runOver->remedy(),
                    ticket_.run_dir()};
        }
        if (news.lost) {
            endWorker(Nanos{});
            return {1, fmt::format("process 0 ({}): {}", options_.process0, *news.lost),
                    "See process 0's own words, and logs/process-0.log in the run folder.",
                    ticket_.run_dir()};
        }
        if (news.aborted) endWorker(kOwnEndPatience);
        if (news.generation && news.generation != generation_) {
            if (auto started = startWorker(*news.generation); !started)
                reportNoWorker(started.error());
        }
        if (stopDeadline_ && SteadyClock::read() > *stopDeadline_) {
            endWorker(Nanos{});
            return {3, "", "", ticket_.run_dir()};
        }
    }
}

void JoinedAgent::endWorker(Nanos patience) {
    if (processes_) processes_->terminate(patience, Nanos{});  // it outlives a SIGTERM
}

void JoinedAgent::heedTermination() {
    if (!terminate_.load() || stopDeadline_) return;
    client_->requestStop();
    stopDeadline_ = SteadyClock::read() + kStopGrace;
}

}  // namespace

JoinedEnd joinRun(const JoinOptions& options, std::atomic<bool>& terminate) {
    return JoinedAgent(options, terminate).run();
}

}  // namespace lockstep::launch
