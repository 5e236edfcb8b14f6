// SPDX-License-Identifier: Apache-2.0
#include "core/job/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "core/base/absolute_path.h"
#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/job/job_paths.h"
#include "core/coordination/state/process_key.h"
#include "core/distribution/device_plan.h"
#include "core/distribution/process_state.h"
#include "core/job/fit_host.h"
#include "core/text/json.h"
#include "core/train/worker.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kEndOfTraining{24 * 30};  ///< The group's heartbeats end it before.
constexpr std::size_t kEpochsAtOnce = 100;             ///< A value of the group's store is limited.

using GroupPointer = std::shared_ptr<distribution::ProcessGroup>;

/// Who trains on what, and who this process is among them.
struct FitPlace {
    distribution::DevicePlan devices;
    bool chief = true;
    bool evaluator = false;
    bool hasEvaluator = false;

    [[nodiscard]] int workers() const { return static_cast<int>(devices.localIds.size()); }
    [[nodiscard]] bool isOfMany() const { return workers() > 1 || hasEvaluator; }
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
    return document.checked();
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
    const text::Json summary = text::parseJson(end.summary_json()).value_or(text::Json());
    result.steps = summary.get<std::int64_t>("steps").value_or(0);
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    result.trainLoss = summary.get<double>("train_loss").value_or(kNone);
    result.testLoss = summary.get<double>("test_loss").value_or(kNone);
    result.testAccuracy = summary.get<double>("test_accuracy").value_or(kNone);
    result.stateHash = summary.get<std::string>("state_hash").value_or("");
    return result;
}

/// Keeps what each epoch came to, and asks the caller whether to go on.
class EpochKeeper final : public train::EpochListener {
public:
    explicit EpochKeeper(std::function<bool(const EpochFigures&)> ask) : ask_(std::move(ask)) {}
    bool epochEnded(const wire::EpochResult& result) override {
        epochs_.push_back(figuresOf(result));
        return !ask_ || ask_(epochs_.back());
    }
    [[nodiscard]] const std::vector<EpochFigures>& epochs() const { return epochs_; }

private:
    const std::function<bool(const EpochFigures&)> ask_;
    std::vector<EpochFigures> epochs_;
};

/// One call of fit() by all processes of a group, or by one process without a group.
class Fit {
public:
    Fit(FitPlace place, GroupPointer group, const FitOptions& options)
        : place_(std::move(place)), group_(std::move(group)), keeper_(options.onEpochEnd) {
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
    void publishEpochs();
    [[nodiscard]] Result<std::vector<EpochFigures>> receiveEpochs(Nanos timeout);
    template <typename Message>
    Result<Message> receive(const std::string& key, Nanos timeout);

    const FitPlace place_;
    const GroupPointer group_;
    EpochKeeper keeper_;
    std::string prefix_;
};

/// Hands every other process its key, over the group's authenticated connections.
Result<void> Fit::invite(FitHost& host) {
    if (!group_) return {};
    for (const wire::Member& member : group_->roster().members()) {
        if (member.process_id() == 0) continue;
        const coordination::ProcessKey process{wire::ROLE_WORKER, member.process_id()};
        auto config = TRY(host.configFor(process, member.address()));
        chooseDevices(place_, member.process_id(), config);
        publish(coordination::userIdOf(process), config);
    }
    if (!place_.hasEvaluator) return {};
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
    auto own = host.configForOwn(group_ ? group_->place().ownAddress : "127.0.0.1");
    if (own) {
        chooseDevices(place_, 0, *own);
        const auto stopped = train::runWorker(*own, nullptr, &keeper_);
        if (!stopped) host.reportOwnFailure(stopped.error());
    } else {
        host.reportOwnFailure(own.error());
    }
    const wire::RunEnd end = host.conclude();
    publishEpochs();
    publish("end", end);
    auto result = TRY(resultOf(end, places.runFolder.string()));
    result.epochs = keeper_.epochs();
    return result;
}

/// Process 0's are everybody's.
void Fit::publishEpochs() {
    if (!group_) return;
    const auto& epochs = keeper_.epochs();
    std::size_t parts = 0;
    for (std::size_t first = 0; first < epochs.size(); first += kEpochsAtOnce) {
        const auto begin = epochs.begin() + static_cast<std::ptrdiff_t>(first);
        const auto count = std::min(kEpochsAtOnce, epochs.size() - first);
        std::ignore =
            group_->set(fmt::format("{}epochs/{}", prefix_, parts++),
                        encodeFigures({begin, begin + static_cast<std::ptrdiff_t>(count)}));
    }
    std::ignore = group_->set(prefix_ + "epochs", std::to_string(parts));
}

Result<std::vector<EpochFigures>> Fit::receiveEpochs(Nanos timeout) {
    const auto parts = TRY(group_->get(prefix_ + "epochs", timeout));
    std::vector<EpochFigures> epochs;
    for (std::size_t part = 0; std::to_string(part) != parts; ++part)
        std::ranges::move(
            TRY(parseFigures(TRY(group_->get(fmt::format("{}epochs/{}", prefix_, part), timeout)))),
            std::back_inserter(epochs));
    return epochs;
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
    const bool evaluates = place_.evaluator;
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
            std::ignore = train::runWorker(*config, nullptr, &keeper_);
    }
    auto end = TRY(receive<wire::RunEnd>("end", kEndOfTraining));
    auto result = TRY(resultOf(end, config->run_dir()));
    result.epochs = TRY(receiveEpochs(toNanos(timeoutSeconds)));
    return result;
}

Result<FitResult> fitAt(FitPlace place, GroupPointer group, const config::JobSpec& job,
                        const FitOptions& options) {
    const bool chief = place.chief;
    auto resolved = chief ? jobUnder(place, job, options) : Result<config::JobSpec>(job);
    Fit run(std::move(place), std::move(group), options);
    if (!chief) return run.join(job.cluster.initializationTimeoutSeconds);
    if (!resolved) return run.refuse(resolved.error());
    return run.host(*resolved, options);
}

Result<std::shared_ptr<const distribution::Distribution>> distributionInForce() {
    if (auto set = distribution::distribution()) return set;
    auto all = TRY(distribution::DataParallel::make());
    return std::shared_ptr<const distribution::Distribution>(std::move(all));
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
    FitPlace place{.devices = TRY(distribution::planDevices(*strategy.distribution())),
                   .chief = strategy.isChief(),
                   .evaluator = strategy.isEvaluator(),
                   .hasEvaluator = strategy.hasEvaluator()};
    return fitAt(std::move(place), many ? group : nullptr, job, options);
}

Result<FitResult> fit(const config::JobSpec& job, const FitOptions& options) {
    const auto inForce = TRY(distributionInForce());
    const GroupPointer group = distribution::ProcessState::instance().group();
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
    FitPlace place{.devices = TRY(distribution::planDevices(*inForce)),
                   .chief = distribution::processId() == 0 && !(group && group->isEvaluator()),
                   .evaluator = group && group->isEvaluator(),
                   .hasEvaluator = group && group->hasEvaluator()};
    const bool many = place.isOfMany();
    return fitAt(std::move(place), many ? group : nullptr, job, options);
}

}  // namespace lockstep::job
