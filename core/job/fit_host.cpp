// SPDX-License-Identifier: Apache-2.0
#include "core/job/fit_host.h"

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/run/run_end.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::job {

namespace {

/// The coordinator ends it long before: whoever does nothing is not waited for.
constexpr std::chrono::hours kEndTimeout{24};
/// The caller reads how the run ended from what fit() returns: no monitor needs to come.
constexpr run::EndPatience kEndPatience{.monitors = std::chrono::seconds(1),
                                        .firstMonitor = Nanos{}};

/// Processes are the same to the communicator wherever they are: each is a host of its own.
void placeAt(wire::WorkerConfig& config, const std::string& address) {
    config.set_host_group(coordination::userIdOf({config.role(), config.process_id()}) + "-" +
                          config.run_id());
    if (!address.empty()) config.set_address(config::toString(config::Address{address, 0}));
}

}  // namespace

Result<std::unique_ptr<FitHost>> FitHost::open(const config::JobSpec& job, const Places& places) {
    auto run = TRY(run::RunHost::open({
        .runId = randomHex(6),
        .folder = places.runFolder,
        .resume = places.resume,
        .job = job,
        .jobToml = config::resolvedToml(job),
        .jobFolder = places.jobFolder,
        .listen = {places.bindHost, 0},
        .evaluators = job.cluster.evaluator ? 1U : 0U,
        .seesAllEnds = false,
    }));
    auto host = std::unique_ptr<FitHost>(new FitHost(std::move(run), places.advertisedHost));
    if (auto written = host->run_->writeProcesses({run::entryOfThisProcess("worker")}); !written) {
        host->takeBack();
        return fail(written.error());
    }
    return host;
}

Result<wire::WorkerConfig> FitHost::configForOwn(const std::string& address) {
    auto config = TRY(run_->configFor({wire::ROLE_WORKER, 0}));
    placeAt(config, address);
    return config;
}

Result<wire::WorkerConfig> FitHost::configFor(const coordination::ProcessKey& process,
                                              const std::string& address) {
    auto config = TRY(run_->configFor(process));
    config.set_coordinator_address(
        config::toString(config::Address{advertisedHost_, run_->coordinator()->port()}));
    placeAt(config, address);
    return config;
}

void FitHost::reportOwnFailure(const Error& error) {
    wire::ProcessExit exit;
    exit.set_role(wire::ROLE_WORKER);
    exit.set_status(isBadInput(error.code) ? kExitBadInput : kExitFailed);
    exit.set_last_error(error.message);
    run_->coordinator()->reportProcessExit(exit, run_->generation());
}

wire::RunEnd FitHost::conclude() {
    const auto outcome = run_->coordinator()->waitOutcome(kEndTimeout);
    return run_->conclude(outcome ? *outcome : run::brokenOutcome(outcome.error()), kEndPatience);
}

}  // namespace lockstep::job
