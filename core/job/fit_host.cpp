// SPDX-License-Identifier: Apache-2.0
#include "core/job/fit_host.h"

#include <fmt/format.h>
#include <unistd.h>

#include <tuple>

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/core/process_key.h"
#include "core/launch/process/child_process.h"
#include "core/launch/run/summary_file.h"
#include "core/wire/context.h"

namespace lockstep::job {

namespace {

/// Nobody sees a dead process's end from outside: its silence, three heartbeats long, tells.
constexpr Millis kFollowUpGrace{3500};
constexpr std::chrono::seconds kEndTimeout{150};  ///< Longer than all drain and follow-up times.
constexpr std::chrono::seconds kLinger{1};

Nanos nanos(double seconds) {
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

}  // namespace

FitHost::FitHost(const config::JobSpec& job, const Places& places, launch::RunFolder folder)
    : job_(job),
      places_(places),
      folder_(std::move(folder)),
      runId_(randomHex(6)),
      began_(SteadyClock::read()) {}

FitHost::~FitHost() {
    coordinator_.reset();
    events_.reset();
    std::error_code ignored;
    if (!runtimeFolder_.empty()) std::filesystem::remove_all(runtimeFolder_, ignored);
}

Result<std::unique_ptr<FitHost>> FitHost::open(const config::JobSpec& job, const Places& places) {
    auto folder = TRY(launch::RunFolder::open(places.runFolder, places.resume));
    auto host = std::unique_ptr<FitHost>(new FitHost(job, places, std::move(folder)));
    if (auto started = host->start(); !started) {
        host->coordinator_.reset();
        host->events_.reset();
        host->folder_.removeContact();
        host->folder_.takeBack();
        return fail(started.error());
    }
    return host;
}

Result<void> FitHost::start() {
    auto context = TRY(wire::Context::make());
    serverKeys_ = TRY(wire::newKeyPair());
    runtimeFolder_ = TRY(makeRuntimeFolder(runId_));
    events_ =
        std::make_unique<launch::EventWriter>(folder_.paths().journal(), folder_.paths().events());
    coordination::CoordinatorOptions options;
    options.rules.runId = runId_;
    options.rules.workers = static_cast<std::uint32_t>(job_.cluster.numProcesses);
    options.rules.evaluator = job_.cluster.evaluator;
    options.rules.seedWord = newIncarnation() >> 1;
    options.rules.initializationTimeout = nanos(job_.cluster.initializationTimeoutSeconds);
    options.rules.heartbeatTimeout = nanos(job_.cluster.heartbeatTimeoutSeconds);
    options.rules.followUpGrace = kFollowUpGrace;
    options.bindHost = places_.bindHost;
    options.monitorSocket = runtimeFolder_ / "monitor";
    options.journal = folder_.paths().journal();
    options.keys = serverKeys_;
    coordinator_ = TRY(coordination::Coordinator::start(context, std::move(options)));

    auto monitor = TRY(wire::newKeyPair());
    TRY(coordinator_->allowMonitor(monitor.publicKey));
    const auto keyFile = runtimeFolder_ / "monitor.key";
    const std::string text =
        fmt::format("{}\n{}\n{}\n", serverKeys_.publicKey, monitor.publicKey, monitor.secretKey);
    auto written = replaceFileDurably(keyFile, text, 0600);
    if (written) written = folder_.writeRunId(runId_);
    if (written) written = replaceFileDurably(folder_.paths().job(), config::resolvedToml(job_));
    if (written) written = folder_.writeContact({runId_, coordinator_->monitorEndpoint(), keyFile});
    const pid_t self = ::getpid();
    if (written)
        written = folder_.writeProcesses(
            {{"worker", 0, hostName(), self, launch::processStartTime(self).value_or(0)}});
    return written;
}

Result<wire::WorkerConfig> FitHost::admit(wire::Role role, std::uint32_t processId,
                                          const std::string& address) {
    auto keys = TRY(wire::newKeyPair());
    const std::string user = coordination::userIdOf({role, processId});
    TRY(coordinator_->allowMember(keys.publicKey, user));
    const bool here = role == wire::ROLE_WORKER && processId == 0;
    const std::string host = here && places_.bindHost == "*" ? "127.0.0.1" : places_.advertisedHost;
    wire::WorkerConfig config;
    config.set_run_id(runId_);
    config.set_run_dir(folder_.paths().folder.string());
    config.set_job_toml(config::resolvedToml(job_));
    config.set_job_dir(places_.jobFolder);
    config.set_role(role);
    config.set_process_id(processId);
    config.set_num_processes(static_cast<std::uint32_t>(job_.cluster.numProcesses));
    config.set_coordinator_address(config::toString(config::Address{host, coordinator_->port()}));
    config.mutable_keys()->set_server_public(serverKeys_.publicKey);
    config.mutable_keys()->set_own_public(keys.publicKey);
    config.mutable_keys()->set_own_secret(keys.secretKey);
    config.set_host_group(user + "-" + runId_);
    config.set_segment_fd(-1);
    config.set_resume(places_.resume);
    if (here) config.set_former_job_toml(folder_.former().job());
    if (!address.empty()) config.set_address(config::toString(config::Address{address, 0}));
    return config;
}

void FitHost::reportOwnFailure(const Error& error) {
    wire::ProcessExit exit;
    exit.set_role(wire::ROLE_WORKER);
    exit.set_status(isBadInput(error.code) ? kExitBadInput : kExitFailed);
    exit.set_last_error(error.message);
    coordinator_->reportProcessExit(exit, 0);
}

wire::RunEnd FitHost::conclude() {
    auto outcome = coordinator_->waitOutcome(kEndTimeout);
    launch::RunFacts facts;
    wire::RunEnd end;
    if (!outcome) {
        end.set_exit_status(kExitFailed);
        end.set_error(outcome.error().message);
    } else if (outcome->kind == coordination::OutcomeKind::Failed ||
               outcome->kind == coordination::OutcomeKind::BadInput) {
        const wire::Failure& failure = outcome->failure;
        facts.failures.push_back(failure);
        end.set_exit_status(coordination::exitStatusOf(outcome->kind));
        end.set_error(fmt::format("process {} ({}): {}", failure.process_id(), failure.host(),
                                  failure.cause()));
        end.set_remedy(outcome->remedy);
    } else {
        end.set_exit_status(coordination::exitStatusOf(outcome->kind));
    }
    facts.status = end.exit_status() == kExitDone      ? "completed"
                   : end.exit_status() == kExitStopped ? "stopped"
                                                       : "failed";
    facts.wallSeconds = std::chrono::duration<double>(SteadyClock::read() - began_).count();
    facts.worldSize = job_.cluster.replicaCount();
    end.set_status(facts.status);
    std::string summary =
        launch::completeSummary(outcome ? outcome->summaryJson : std::string(), facts);
    if (places_.resume && launch::trainedNothing(summary)) {
        summary = launch::resumedSummary(folder_.former().summary(), summary);
        if (const std::string job = folder_.former().job(); !job.empty())
            std::ignore = replaceFileDurably(folder_.paths().job(), job);
    }
    end.set_summary_json(summary);
    std::ignore = replaceFileDurably(folder_.paths().summary(), end.summary_json());
    folder_.removeContact();
    std::ignore = folder_.writeProcesses({});
    coordinator_->endRun(end);
    coordinator_->shutdown(kLinger);
    if (job_.cluster.evaluator)
        launch::removeScoredCheckpoints(folder_.paths(), job_.checkpoint.keep);
    events_.reset();
    return end;
}

}  // namespace lockstep::job
