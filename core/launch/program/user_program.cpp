// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/user_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/host_address.h"
#include "core/base/ids.h"
#include "core/base/mutex.h"
#include "core/config/cluster_spec.h"
#include "core/config/job_file.h"
#include "core/coordination/client.h"
#include "core/launch/program/program_addresses.h"
#include "core/launch/program/program_environment.h"
#include "core/launch/program/program_reports.h"
#include "core/launch/program/program_start.h"
#include "core/telemetry/process_figures.h"
#include "core/wire/codec.h"
#include "core/wire/local_receiver.h"

namespace lockstep::launch {

namespace {

constexpr Millis kTick{20};
constexpr int kReportsPerTick = 100;  ///< More wait in the socket, and then in the program.
constexpr int kReportsQueued = 256;
constexpr std::chrono::seconds kFiguresInterval{2};
constexpr std::chrono::seconds kStopGrace{15};  ///< From SIGTERM on; the agent's own is longer.
constexpr std::chrono::seconds kAbortGrace{3};  ///< The job has failed: little is left to save.
constexpr std::chrono::seconds kLeaveTimeout{30};
constexpr std::chrono::seconds kReportTimeout{3};
constexpr std::chrono::seconds kLastRecordsTimeout{2};
constexpr std::chrono::seconds kOthersSlice{60};
/// The coordinator, whose sentence names the missing, waits a little less.
constexpr std::chrono::seconds kCoordinatorSpeaksFirst{5};

Nanos nanos(double seconds) {
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

std::string doneKey(std::uint32_t processId) {
    return fmt::format("program/done/{}", processId);
}

nlohmann::json numberOrNull(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

class UserProgram {
public:
    UserProgram(const wire::WorkerConfig& config, config::JobSpec job)
        : config_(config),
          job_(std::move(job)),
          reports_(config.process_id(), config.process_id() == 0) {}

    Result<void> join(const std::string& buildId);
    Result<ExitStatus> run();
    void report(const Error& error);

private:
    [[nodiscard]] bool isChief() const { return config_.process_id() == 0; }
    [[nodiscard]] coordination::ClientCallbacks callbacks();
    [[nodiscard]] config::Address ownAddress() const;
    void openInbox();
    [[nodiscard]] Result<void> start();
    [[nodiscard]] ProgramPlace placeAmong(const ProgramAddresses& all) const;
    [[nodiscard]] ExitStatus supervise();
    void takeReports();
    void takeReport(const std::string& bytes);
    void sendFigures(Nanos now);
    void heedOrders(Nanos now);
    void signalProgram(int signal) const;
    void sendRunInfo();
    [[nodiscard]] Result<ExitStatus> conclude(const ExitStatus& status);
    [[nodiscard]] Result<void> awaitOthers();
    [[nodiscard]] std::string summary();
    void send(wire::Record record);

    const wire::WorkerConfig& config_;
    const config::JobSpec job_;
    Mutex mutex_;
    ProgramReports reports_ LS_GUARDED_BY(mutex_);
    std::atomic<bool> stopRequested_{false};
    std::atomic<bool> aborted_{false};
    std::string abortCause_ LS_GUARDED_BY(mutex_);
    std::optional<wire::Context> context_;
    std::unique_ptr<coordination::Client> client_;  // its thread uses what is above
    std::unique_ptr<wire::LocalReceiver> inbox_;
    std::unique_ptr<ChildProcess> child_;
    std::optional<telemetry::ProcessProbe> probe_;
    std::string sentPlan_;
    bool saidMalformed_ = false;
    Nanos began_{};
    Nanos nextFigures_{};
    std::optional<Nanos> killAt_;
};

Result<void> UserProgram::join(const std::string& buildId) {
    auto context = wire::Context::make();
    if (!context) return fail(context.error());
    context_ = std::move(*context);
    coordination::ClientOptions options;
    options.endpoint = "tcp://" + config_.coordinator_address();
    options.serverPublicKey = config_.keys().server_public();
    options.keys = {config_.keys().own_public(), config_.keys().own_secret()};
    options.runId = config_.run_id();
    options.generation = config_.generation();
    options.heartbeatTimeout = nanos(job_.cluster.heartbeatTimeoutSeconds);
    options.self.set_role(wire::ROLE_WORKER);
    options.self.set_process_id(config_.process_id());
    options.self.set_host(hostName());
    options.self.set_host_group(config_.host_group());
    options.self.set_pid(::getpid());
    options.self.set_replicas(1);  // what the program does on its devices is its own
    options.self.set_address(config::toString(ownAddress()));
    options.self.set_build(buildId);
    auto client = coordination::Client::connect(*context_, std::move(options), callbacks());
    if (!client) return fail(client.error());
    client_ = std::move(*client);
    auto welcome =
        client_->join(nanos(job_.cluster.initializationTimeoutSeconds) + kCoordinatorSpeaksFirst);
    if (!welcome) return fail(welcome.error());
    return {};
}

coordination::ClientCallbacks UserProgram::callbacks() {
    return {
        .fillHeartbeat =
            [this](wire::Heartbeat& heartbeat) {
                const Lock lock(mutex_);
                *heartbeat.add_replicas() = reports_.progress(SteadyClock::read());
            },
        .onAbort =
            [this](const std::string& cause, int) {
                std::fprintf(stderr, "warning: the job ends: %s\n", cause.c_str());
                const Lock lock(mutex_);
                abortCause_ = cause;
                aborted_.store(true);
            },
        .onStop = [this](const std::string&) { stopRequested_.store(true); },
    };
}

/// The host as the agent says that the others reach it; the port that the job file gives.
config::Address UserProgram::ownAddress() const {
    const auto& given = job_.cluster.jobAddresses;
    const std::size_t id = config_.process_id();
    config::Address own = id < given.size() ? given[id] : config::Address{"127.0.0.1", 0};
    if (auto told = config::parseAddress(config_.address())) own.host = told->host;
    return own;
}

/// Without it the program runs all the same, unseen.
void UserProgram::openInbox() {
    auto inbox = wire::LocalReceiver::bind(
        *context_, std::filesystem::path(config_.report_folder()) / "reports", kReportsQueued,
        static_cast<std::int64_t>(wire::kMaxRecordBytes));
    if (inbox)
        inbox_ = std::move(*inbox);
    else
        std::fprintf(stderr, "warning: no reports are taken from the program: %s\n",
                     inbox.error().message.c_str());
}

ProgramPlace UserProgram::placeAmong(const ProgramAddresses& all) const {
    ProgramPlace place;
    place.processId = config_.process_id();
    place.addresses = all.addresses;
    place.hosts = all.hosts;
    place.generation = config_.generation();
    place.runId = config_.run_id();
    place.runDir = config_.run_dir();
    if (inbox_ != nullptr) place.reportEndpoint = inbox_->endpoint();
    place.pythonFolder = pythonModuleFolder();
    if (auto numeric = addressOfHost(all.addresses[place.processId].host))
        place.networkInterface = interfaceOf(*numeric);
    return place;
}

Result<void> UserProgram::start() {
    openInbox();
    const auto all =
        exchangeAddresses(*client_, config_.process_id(), job_.cluster.numProcesses, ownAddress(),
                          nanos(job_.cluster.initializationTimeoutSeconds));
    if (!all) return fail(all.error());
    ChildOptions options;
    options.environment =
        programEnvironment(Environment::ofThisProcess(), job_, placeAmong(*all));
    options.folder = programFolder(config_.job_dir());
    const auto program = findProgram(job_.launch.command.front(), options.environment, options.folder);
    if (!program) return fail(program.error());
    options.program = *program;
    options.arguments.assign(job_.launch.command.begin() + 1, job_.launch.command.end());
    options.captureOutput = false;  // it writes where this process does, which its agent reads
    options.ownGroup = false;
    if (options.folder != config_.job_dir())
        std::fprintf(stderr, "note: the job file's folder %s is not on this host\n",
                     config_.job_dir().c_str());
    std::fprintf(stderr, "starting %s in %s\n", options.program.c_str(), options.folder.c_str());
    auto child = ChildProcess::start(options);
    if (!child) return fail(child.error());
    child_ = std::move(*child);
    child_->closeInput();
    probe_.emplace(child_->pid());
    began_ = SteadyClock::read();
    return {};
}

Result<ExitStatus> UserProgram::run() {
    if (auto started = start(); !started) return fail(started.error());
    if (isChief()) sendRunInfo();
    const ExitStatus status = supervise();
    takeReports();
    return conclude(status);
}

ExitStatus UserProgram::supervise() {
    for (;;) {
        if (const auto ended = child_->wait(kTick)) return *ended;
        const Nanos now = SteadyClock::read();
        takeReports();
        sendFigures(now);
        heedOrders(now);
    }
}

void UserProgram::takeReports() {
    if (inbox_ == nullptr) return;
    for (int taken = 0; taken < kReportsPerTick; ++taken) {
        auto bytes = inbox_->receive();
        if (!bytes || !*bytes) break;
        takeReport(**bytes);
    }
    if (isChief()) sendRunInfo();
}

void UserProgram::takeReport(const std::string& bytes) {
    Result<std::optional<wire::Record>> record;
    {
        const Lock lock(mutex_);
        record = reports_.take(bytes, SteadyClock::read(), wallSeconds());
    }
    if (record && *record) send(std::move(**record));
    if (record || saidMalformed_) return;
    saidMalformed_ = true;
    std::fprintf(stderr, "warning: the program sent a report that cannot be used: %s (said once)\n",
                 record.error().message.c_str());
}

void UserProgram::sendFigures(Nanos now) {
    if (now < nextFigures_) return;
    nextFigures_ = now + kFiguresInterval;
    auto figures = probe_->sample(config_.process_id(), wire::ROLE_WORKER, now);
    if (!figures) return;  // it has just ended
    wire::Record record;
    *record.mutable_figures() = std::move(*figures);
    send(std::move(record));
}

void UserProgram::heedOrders(Nanos now) {
    const bool ends = stopRequested_.load() || aborted_.load();
    if (ends && !killAt_) {
        signalProgram(SIGTERM);
        signalProgram(SIGCONT);  // a stopped one takes signals only when it goes on
        killAt_ = now + kStopGrace;
    }
    if (aborted_.load() && killAt_) killAt_ = std::min(*killAt_, now + kAbortGrace);
    if (killAt_ && now >= *killAt_) child_->signalGroup(SIGKILL);
}

/// To all that the program has started, which is in the group that an agent gave this process.
void UserProgram::signalProgram(int signal) const {
    if (::getpgrp() == ::getpid())
        ::kill(0, signal);
    else
        child_->signalGroup(signal);
}

/// At the start, and again when the program has said how much there is to do.
void UserProgram::sendRunInfo() {
    wire::ProgramPlan plan;
    {
        const Lock lock(mutex_);
        plan = reports_.plan().value_or(wire::ProgramPlan());
    }
    const std::string words = plan.SerializeAsString() + "!";
    if (words == sentPlan_) return;
    const bool first = sentPlan_.empty();
    sentPlan_ = words;
    wire::Record record;
    wire::RunInfo& info = *record.mutable_run_info();
    info.set_run_id(config_.run_id());
    info.set_name(job_.name);
    info.set_job_toml(config_.job_toml());
    info.set_generation(config_.generation());
    info.set_total_steps(plan.total_steps());
    info.set_first_step(plan.first_step());
    info.set_steps_per_epoch(plan.steps_per_epoch());
    info.set_epochs(plan.epochs());
    info.set_global_batch_size(plan.global_batch_size());
    info.set_replica_count(static_cast<std::uint32_t>(job_.cluster.numProcesses));
    info.set_backend("program");
    info.set_amends(!first);
    send(std::move(record));
    if (!first) return;
    wire::Record state;
    state.mutable_run_state()->set_state(wire::RUN_STATE_TRAINING);
    state.mutable_run_state()->set_sentence(
        fmt::format("{} runs", std::filesystem::path(job_.launch.command.front()).filename().string()));
    send(std::move(state));
}

Result<ExitStatus> UserProgram::conclude(const ExitStatus& status) {
    if (aborted_.load()) {
        const Lock lock(mutex_);
        return fail(ErrorCode::PeerLost, abortCause_);
    }
    const bool stopped = stopRequested_.load();
    const bool failed = status.signalled || status.code != 0;
    if (failed && !stopped) {
        std::ignore = client_->flush(kLastRecordsTimeout);  // its agent tells how it ended
        return status;
    }
    {
        const Lock lock(mutex_);
        reports_.finish(SteadyClock::read());
    }
    if (isChief()) {
        if (auto done = awaitOthers(); !done) return fail(done.error());
    } else if (auto told = client_->set(doneKey(config_.process_id()), "1"); !told) {
        return fail(told.error());
    }
    if (auto left = client_->leave(stopped ? "stopped" : "completed", isChief() ? summary() : "",
                                   kLeaveTimeout);
        !left)
        return fail(left.error());
    return ExitStatus{false, stopped ? 3 : 0};
}

/// The run ends soon after its chief has left, but others may have more to do.
Result<void> UserProgram::awaitOthers() {
    for (std::uint32_t id = 1; id < config_.num_processes(); ++id) {
        for (;;) {
            const auto done = client_->get(doneKey(id), kOthersSlice);
            if (done) break;
            if (done.error().code != ErrorCode::Timeout) return fail(done.error());
        }
    }
    return {};
}

std::string UserProgram::summary() {
    const Lock lock(mutex_);
    const ProgramResults& results = reports_.results();
    const double seconds = Seconds(SteadyClock::read() - began_).count();
    nlohmann::json summary = {{"backend", "program"},
                              {"train_loss", numberOrNull(results.trainLoss)},
                              {"train_accuracy", numberOrNull(results.trainAccuracy)},
                              {"validation_loss", numberOrNull(results.validationLoss)},
                              {"validation_accuracy", numberOrNull(results.validationAccuracy)},
                              {"test_loss", numberOrNull(results.testLoss)},
                              {"test_accuracy", numberOrNull(results.testAccuracy)},
                              {"train_seconds", seconds}};
    if (results.steps > 0) summary["steps"] = results.steps;
    if (results.epochs > 0) summary["epochs"] = results.epochs;
    return summary.dump();
}

void UserProgram::send(wire::Record record) {
    record.set_wall_time(wallSeconds());
    // Samples that the client has no room for are counted there and said in the journal.
    if (auto sent = client_->sendRecord(std::move(record)); !sent && !aborted_.load())
        std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

void UserProgram::report(const Error& error) {
    if (child_ != nullptr) std::ignore = child_->terminate(kAbortGrace);
    if (client_ == nullptr) return;
    wire::ReportError report;
    report.set_cause(error.message);
    report.set_remedy(error.remedy);
    report.set_secondary(error.code == ErrorCode::PeerLost || error.code == ErrorCode::Timeout);
    report.set_kind(error.code == ErrorCode::BadInput || error.code == ErrorCode::NotFound
                        ? wire::ERROR_BAD_INPUT
                        : wire::ERROR_JOB_FAILED);
    client_->reportError(report, kReportTimeout);
    std::ignore = client_->flush(kLastRecordsTimeout);
}

}  // namespace

Result<ExitStatus> runUserProgram(const wire::WorkerConfig& config, const std::string& buildId) {
    std::signal(SIGTERM, SIG_IGN);
    auto document = config::JobDocument::parse(config.job_toml(), "job.toml");
    if (!document) return fail(document.error());
    auto job = document->checked();
    if (!job) return fail(job.error());
    UserProgram program(config, std::move(*job));
    auto joined = program.join(buildId);
    auto ended = joined ? program.run() : Result<ExitStatus>(fail(joined.error()));
    if (!ended) program.report(ended.error());
    return ended;
}

}  // namespace lockstep::launch
