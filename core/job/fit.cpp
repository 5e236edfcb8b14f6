// SPDX-License-Identifier: Apache-2.0
#include "core/job/fit.h"

#include <fmt/format.h>

#include <limits>
#include <tuple>

#include "core/base/absolute_path.h"
#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/plural.h"
#include "core/base/summary_limit.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/job/job_paths.h"
#include "core/coordination/state/process_key.h"
#include "core/distribution/device_plan.h"
#include "core/distribution/process_state.h"
#include "core/job/fit_exchange.h"
#include "core/job/fit_host.h"
#include "core/job/model_parallel_job.h"
#include "core/text/json.h"
#include "core/train/worker.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kEndOfTraining{24 * 30};  ///< The group's heartbeats end it before.

using GroupPointer = std::shared_ptr<distribution::ProcessGroup>;

/// Who trains on what, and who this process is among them.
struct FitPlace {
    distribution::DevicePlan devices;
    bool chief = true;
    bool evaluator = false;
    bool hasEvaluator = false;
    std::shared_ptr<const distribution::ModelParallel> parallel{};  ///< Null: data parallel.

    [[nodiscard]] int workers() const { return static_cast<int>(devices.localIds.size()); }
};

/// The devices are the strategy's: a job that insists on others contradicts it.
Result<config::DeviceKind> deviceUnder(const FitPlace& place, config::DeviceKind asked) {
    const bool gpus = place.devices.type == "gpu";
    const auto kind = gpus ? config::DeviceKind::Gpu : config::DeviceKind::Cpu;
    if (asked == config::DeviceKind::Auto || asked == kind) return kind;
    return fail(ErrorCode::BadInput,
                fmt::format("the job's cluster.device is \"{}\", but the devices to train on are "
                            "{}s",
                            gpus ? "cpu" : "gpu", place.devices.type),
                "Leave cluster.device out, or name devices of that type, as listDevices() has "
                "them.");
}

/// The job as it is trained here, checked as a job file is.
Result<config::JobSpec> jobUnder(const FitPlace& place, config::JobSpec job,
                                 const FitOptions& options) {
    if (place.parallel)
        job.distribution = TRY(distributionUnder(*place.parallel, job, options.jobFolder));
    // Who the processes are, the group knows; the job says how many there are.
    job = config::withLocalProcesses(std::move(job), place.workers());
    job.cluster.device = TRY(deviceUnder(place, job.cluster.device));
    job.cluster.devicesPerProcess = place.devices.replicasOfEach();
    job.cluster.localDeviceIds.clear();
    job.cluster.evaluator = place.hasEvaluator;
    job.cluster.evaluatorAddress.reset();
    job.evaluator.processes = 1;
    job.launch = {};
    config::makePathsAbsolute(job, options.jobFolder.string());
    auto document = TRY(config::JobDocument::parse(config::resolvedToml(job), "the job"));
    auto checked = TRY(document.checked());
    if (place.parallel && place.chief) tellPrice(checked, options.jobFolder);
    return checked;
}

/// Exactly the GPUs of that process that the plan names.
void chooseDevices(const FitPlace& place, std::size_t process, wire::WorkerConfig& config) {
    if (place.devices.type != "gpu") return;
    for (const int id : place.devices.localIds[process])
        config.mutable_device_choice()->add_local_ids(static_cast<std::uint32_t>(id));
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
    const text::Json summary =
        text::parseJson(end.summary_json(), kMostSummaryBytes).value_or(text::Json());
    result.steps = summary.get<std::int64_t>("steps").value_or(0);
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    result.trainLoss = summary.get<double>("train_loss").value_or(kNone);
    result.testLoss = summary.get<double>("test_loss").value_or(kNone);
    result.testAccuracy = summary.get<double>("test_accuracy").value_or(kNone);
    result.stateHash = summary.get<std::string>("state_hash").value_or("");
    return result;
}

/// Keeps what each epoch came to, and asks the caller whether to go on.
class EpochKeeper final : public train::TrainingListener {
public:
    explicit EpochKeeper(const FitOptions& options) : options_(options) {}
    void batchBegins(const BatchFigures& before) override {
        if (options_.onBatchBegin) options_.onBatchBegin(before);
    }
    bool batchEnded(const BatchFigures& figures) override {
        return !options_.onBatchEnd || options_.onBatchEnd(figures);
    }
    bool epochEnded(const wire::EpochResult& result) override {
        epochs_.push_back(figuresOf(result));
        return !options_.onEpochEnd || options_.onEpochEnd(epochs_.back());
    }
    [[nodiscard]] const std::vector<EpochFigures>& epochs() const { return epochs_; }

private:
    const FitOptions& options_;
    std::vector<EpochFigures> epochs_;
};

/// One call of fit() by all processes of a group, or by one process without a group.
class Fit {
public:
    Fit(FitPlace place, FitExchange& exchange, const FitOptions& options)
        : place_(std::move(place)), exchange_(exchange), keeper_(options) {}

    Result<FitResult> host(const config::JobSpec& job, const FitOptions& options);
    Result<FitResult> join(double timeoutSeconds);

private:
    Result<void> invite(FitHost& host);

    const FitPlace place_;
    FitExchange& exchange_;
    EpochKeeper keeper_;
};

/// Hands every other process its key.
Result<void> Fit::invite(FitHost& host) {
    if (exchange_.group() == nullptr) return {};
    TRY(exchange_.begin());
    for (const wire::Member& member : exchange_.group()->roster().members()) {
        if (member.process_id() == 0) continue;
        const coordination::ProcessKey process{wire::ROLE_WORKER, member.process_id()};
        auto config = TRY(host.configFor(process, member.address()));
        chooseDevices(place_, member.process_id(), config);
        TRY(exchange_.invite(coordination::userIdOf(process), config));
    }
    if (!place_.hasEvaluator) return {};
    const coordination::ProcessKey evaluator{wire::ROLE_EVALUATOR, 0};
    return exchange_.invite(coordination::userIdOf(evaluator), TRY(host.configFor(evaluator, "")));
}

Result<FitResult> Fit::host(const config::JobSpec& job, const FitOptions& options) {
    const coordination::MeetingPlace* place =
        exchange_.group() != nullptr ? &exchange_.group()->place() : nullptr;
    FitHost::Places places;
    places.bindHost = place != nullptr ? place->bindHost : "127.0.0.1";
    places.advertisedHost = place != nullptr ? place->advertisedHost : "127.0.0.1";
    auto runFolder = runFolderOf(job, options);
    if (!runFolder) return exchange_.refuse(runFolder.error());
    places.runFolder = std::move(*runFolder);
    std::error_code error;
    places.jobFolder = fs::absolute(options.jobFolder, error).string();
    places.resume = options.resume;
    auto opened = FitHost::open(job, places);
    if (!opened) return exchange_.refuse(opened.error());
    FitHost& host = **opened;
    if (auto invited = invite(host); !invited) {
        host.takeBack();
        return exchange_.refuse(invited.error());
    }
    auto own = host.configForOwn(place != nullptr ? place->ownAddress : "127.0.0.1");
    if (own) {
        chooseDevices(place_, 0, *own);
        own->set_patience_anew(options.patienceAnew);
        const auto stopped = train::runWorker(*own, nullptr, &keeper_);
        if (!stopped) host.reportOwnFailure(stopped.error());
    } else {
        host.reportOwnFailure(own.error());
    }
    const wire::RunEnd end = host.conclude();
    const auto told = exchange_.tellEnd(end, keeper_.epochs());
    exchange_.leaveTogether();
    if (!told) return fail(told.error());
    auto result = TRY(resultOf(end, places.runFolder.string()));
    result.epochs = keeper_.epochs();
    return result;
}

/// Process 0's epochs are everybody's.
Result<FitResult> Fit::join(double timeoutSeconds) {
    const auto id = static_cast<std::uint32_t>(exchange_.group()->processId());
    const std::string user = place_.evaluator ? coordination::userIdOf({wire::ROLE_EVALUATOR, 0})
                                              : coordination::userIdOf({wire::ROLE_WORKER, id});
    auto config = exchange_.invitation(user, toNanos(timeoutSeconds));
    if (!config) return failWithin("waiting for process 0 to start the run", config.error());
    if (!config->run_id().empty()) {
        // How it ends is process 0's to tell: it knows the cause.
        if (place_.evaluator)
            std::ignore = train::runEvaluator(*config);
        else
            std::ignore = train::runWorker(*config, nullptr, &keeper_);
    }
    auto end = TRY(exchange_.end(kEndOfTraining));
    if (!config->run_id().empty() && !place_.evaluator) exchange_.leaveTogether();
    auto result = TRY(resultOf(end.run, config->run_dir()));
    result.epochs = std::move(end.epochs);
    return result;
}

Result<FitResult> fitAt(FitPlace place, FitExchange& exchange, const config::JobSpec& job,
                        const FitOptions& options) {
    const bool chief = place.chief;
    auto resolved = chief ? jobUnder(place, job, options) : Result<config::JobSpec>(job);
    Fit run(std::move(place), exchange, options);
    if (!chief) return run.join(job.cluster.initializationTimeoutSeconds);
    if (!resolved) return exchange.refuse(resolved.error());
    return run.host(*resolved, options);
}

Result<std::shared_ptr<const distribution::Distribution>> distributionInForce() {
    if (auto set = distribution::distribution()) return set;
    auto all = TRY(distribution::DataParallel::make());
    return std::shared_ptr<const distribution::Distribution>(std::move(all));
}

/// Of a strategy that was made for several processes, or has an evaluator.
Result<FitPlace> placeUnder(const distribution::Strategy& strategy) {
    return FitPlace{.devices = TRY(distribution::planDevices(*strategy.distribution())),
                    .chief = strategy.isChief(),
                    .evaluator = strategy.isEvaluator(),
                    .hasEvaluator = strategy.hasEvaluator()};
}

/// Of the distribution that is set, else of all devices.
Result<FitPlace> placeInForce(const distribution::ProcessGroup* group) {
    const auto inForce = TRY(distributionInForce());
    const int processes = distribution::processCount();
    if (inForce->numProcesses() != processes)
        return fail(ErrorCode::BadInput,
                    fmt::format("the distribution that is set was made for {}, and there {} now",
                                counted(inForce->numProcesses(), "process"),
                                processes == 1 ? "is 1" : fmt::format("are {}", processes)),
                    "Make it after initialize(), and call shutdown() after the last fit().");
    if (!inForce->autoShardDataset() && processes > 1)
        return fail(ErrorCode::BadInput,
                    "autoShardDataset is false: every process would be given its own shard, but a "
                    "job names its data once for all processes",
                    "Leave autoShardDataset true: every process then takes its shard itself.");
    auto parallel = std::dynamic_pointer_cast<const distribution::ModelParallel>(inForce);
    auto devices = TRY(distribution::planDevices(*inForce));
    if (!parallel && !std::dynamic_pointer_cast<const distribution::DataParallel>(inForce))
        return fail(ErrorCode::BadInput,
                    "the distribution that is set is neither a DataParallel nor a ModelParallel",
                    "fit() trains with these.");
    const bool evaluates = group != nullptr && group->isEvaluator();
    return FitPlace{.devices = std::move(devices),
                    .chief = distribution::processId() == 0 && !evaluates,
                    .evaluator = evaluates,
                    .hasEvaluator = group != nullptr && group->hasEvaluator(),
                    .parallel = std::move(parallel)};
}

/// The group, where it is more than this process.
GroupPointer groupOfMany() {
    auto group = distribution::ProcessState::instance().group();
    const bool many = group && (group->processCount() > 1 || group->hasEvaluator());
    return many ? group : nullptr;
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
    FitExchange exchange(many ? group : nullptr);
    auto place = placeUnder(strategy);
    if (!place) return exchange.refuse(place.error());
    return fitAt(std::move(*place), exchange, job, options);
}

Result<FitResult> fit(const config::JobSpec& job, const FitOptions& options) {
    FitExchange exchange(groupOfMany());
    auto place = placeInForce(exchange.group());
    if (!place) return exchange.refuse(place.error());
    return fitAt(std::move(*place), exchange, job, options);
}

tl::unexpected<Error> refuseFit(const Error& error) {
    return FitExchange(groupOfMany()).refuse(error);
}

}  // namespace lockstep::job
