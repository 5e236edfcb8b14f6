// SPDX-License-Identifier: Apache-2.0
#include "core/job/fit.h"

#include <fmt/format.h>

#include <limits>
#include <tuple>

#include "core/base/absolute_path.h"
#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/job/job_paths.h"
#include "core/coordination/state/process_key.h"
#include "core/distribution/process_state.h"
#include "core/job/fit_host.h"
#include "core/text/json.h"
#include "core/train/worker.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kEndOfTraining{24 * 30};  ///< The group's heartbeats end it before.

using GroupPointer = std::shared_ptr<distribution::ProcessGroup>;

/// The job as this strategy trains it, checked as a job file is.
Result<config::JobSpec> jobUnder(const distribution::Strategy& strategy, config::JobSpec job,
                                 const FitOptions& options) {
    // Who the processes are, the group knows; the job says how many there are.
    job = config::withLocalProcesses(std::move(job), strategy.numWorkers());
    job.cluster.devicesPerProcess = strategy.localReplicas();
    job.cluster.evaluator = strategy.hasEvaluator();
    job.cluster.evaluatorAddress.reset();
    job.launch = {};
    config::makePathsAbsolute(job, options.jobFolder.string());
    auto document = TRY(config::JobDocument::parse(config::resolvedToml(job), "the job"));
    return document.checked();
}

Result<fs::path> runFolderOf(const config::JobSpec& job, const FitOptions& options) {
    if (!options.runFolder.empty()) return absolutePath(options.runFolder);
    if (!job.runDir.empty()) return absolutePath(options.jobFolder / job.runDir);
    return absolutePath(fs::path("runs") / (job.name + "-" + utcStamp()));
}

Result<FitResult> resultOf(const wire::RunEnd& end, const std::string& runFolder) {
    if (end.exit_status() == kExitBadInput)
        return fail(ErrorCode::BadInput, end.error(), end.remedy());
    if (end.exit_status() == kExitFailed)
        return fail(ErrorCode::PeerLost, end.error(), end.remedy());
    FitResult result;
    result.status = end.status();
    result.runFolder = runFolder;
    result.summaryJson = end.summary_json();
    const text::Json summary = text::parseJson(end.summary_json()).value_or(text::Json());
    result.steps = summary.get<std::int64_t>("steps").value_or(0);
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    result.trainLoss = summary.get<double>("train_loss").value_or(kNone);
    result.testLoss = summary.get<double>("test_loss").value_or(kNone);
    result.testAccuracy = summary.get<double>("test_accuracy").value_or(kNone);
    result.stateHash = summary.get<std::string>("state_hash").value_or("");
    return result;
}

/// One call of fit() by all processes of a group, or by one process without a group.
class Fit {
public:
    Fit(const distribution::Strategy& strategy, GroupPointer group)
        : strategy_(strategy), group_(std::move(group)) {
        if (group_) prefix_ = fmt::format("fit/{}/", group_->nextCollective());
    }

    Result<FitResult> host(const config::JobSpec& job, const FitOptions& options);
    Result<FitResult> join(double timeoutSeconds);
    tl::unexpected<Error> refuse(const Error& error);

private:
    Result<void> invite(FitHost& host);
    template <typename Message>
    void publish(const std::string& key, const Message& message) {
        if (group_) std::ignore = group_->set(prefix_ + key, message.SerializeAsString());
    }
    template <typename Message>
    Result<Message> receive(const std::string& key, Nanos timeout);

    const distribution::Strategy& strategy_;
    const GroupPointer group_;
    std::string prefix_;
};

/// Hands every other process its key, over the group's authenticated connections.
Result<void> Fit::invite(FitHost& host) {
    if (!group_) return {};
    for (const wire::Member& member : group_->roster().members()) {
        if (member.process_id() == 0) continue;
        const coordination::ProcessKey process{wire::ROLE_WORKER, member.process_id()};
        const auto config = TRY(host.configFor(process, member.address()));
        publish(coordination::userIdOf(process), config);
    }
    if (!strategy_.hasEvaluator()) return {};
    const coordination::ProcessKey evaluator{wire::ROLE_EVALUATOR, 0};
    const auto config = TRY(host.configFor(evaluator, ""));
    publish(coordination::userIdOf(evaluator), config);
    return {};
}

/// The others wait for an invitation: they get an empty one, and the reason.
tl::unexpected<Error> Fit::refuse(const Error& error) {
    wire::RunEnd refused;
    refused.set_exit_status(kExitBadInput);
    refused.set_error("process 0 could not start the run: " + error.message);
    refused.set_remedy(error.remedy);
    publish("end", refused);
    if (group_)
        for (const wire::Member& member : group_->roster().members())
            publish(coordination::userIdOf({wire::ROLE_WORKER, member.process_id()}),
                    wire::WorkerConfig());
    publish(coordination::userIdOf({wire::ROLE_EVALUATOR, 0}), wire::WorkerConfig());
    return fail(error);
}

Result<FitResult> Fit::host(const config::JobSpec& job, const FitOptions& options) {
    FitHost::Places places;
    places.bindHost = group_ ? group_->place().bindHost : "127.0.0.1";
    places.advertisedHost = group_ ? group_->place().advertisedHost : "127.0.0.1";
    auto runFolder = runFolderOf(job, options);
    if (!runFolder) return refuse(runFolder.error());
    places.runFolder = std::move(*runFolder);
    std::error_code error;
    places.jobFolder = fs::absolute(options.jobFolder, error).string();
    places.resume = options.resume;
    auto opened = FitHost::open(job, places);
    if (!opened) return refuse(opened.error());
    FitHost& host = **opened;
    if (auto invited = invite(host); !invited) {
        host.takeBack();
        return refuse(invited.error());
    }
    const auto own = host.configForOwn(group_ ? group_->place().ownAddress : "127.0.0.1");
    if (own) {
        const auto stopped = train::runWorker(*own);
        if (!stopped) host.reportOwnFailure(stopped.error());
    } else {
        host.reportOwnFailure(own.error());
    }
    const wire::RunEnd end = host.conclude();
    publish("end", end);
    return resultOf(end, places.runFolder.string());
}

template <typename Message>
Result<Message> Fit::receive(const std::string& key, Nanos timeout) {
    auto bytes = TRY(group_->get(prefix_ + key, timeout));
    Message message;
    if (!message.ParseFromString(bytes))
        return fail(ErrorCode::Corrupt, "what process 0 sent about the run does not parse");
    return message;
}

Result<FitResult> Fit::join(double timeoutSeconds) {
    const bool evaluates = strategy_.isEvaluator();
    const auto id = static_cast<std::uint32_t>(group_->processId());
    const std::string user = evaluates ? coordination::userIdOf({wire::ROLE_EVALUATOR, 0})
                                       : coordination::userIdOf({wire::ROLE_WORKER, id});
    auto config = receive<wire::WorkerConfig>(user, toNanos(timeoutSeconds));
    if (!config) return failWithin("waiting for process 0 to start the run", config.error());
    if (!config->run_id().empty()) {
        // How it ends is process 0's to tell: it knows the cause.
        if (evaluates)
            std::ignore = train::runEvaluator(*config);
        else
            std::ignore = train::runWorker(*config);
    }
    auto end = TRY(receive<wire::RunEnd>("end", kEndOfTraining));
    return resultOf(end, config->run_dir());
}

}  // namespace

Result<FitResult> fit(const distribution::Strategy& strategy, const config::JobSpec& job,
                      const FitOptions& options) {
    const GroupPointer group = distribution::ProcessState::instance().group();
    const bool many = strategy.numWorkers() > 1 || strategy.hasEvaluator();
    if (many && !group)
        return fail(ErrorCode::BadInput,
                    "the group that this strategy was made for has been shut down",
                    "Call shutdown() after the last fit().");
    Fit run(strategy, many ? group : nullptr);
    if (!strategy.isChief()) return run.join(job.cluster.initializationTimeoutSeconds);
    auto resolved = jobUnder(strategy, job, options);
    if (!resolved) return run.refuse(resolved.error());
    return run.host(*resolved, options);
}

}  // namespace lockstep::job
