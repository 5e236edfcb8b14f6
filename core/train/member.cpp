// SPDX-License-Identifier: Apache-2.0
#include "core/train/member.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/base/clock.h"
#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/thread_stacks.h"
#include "core/base/try.h"
#include "core/collective/lost_connection.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/state/process_key.h"
#include "core/train/worker.h"
#include "core/wire/context.h"

namespace lockstep::train {

namespace {

/// For a drill's word to reach the coordinator, before the fault it tells of.
constexpr std::chrono::seconds kDrillPatience{2};

wire::Register registration(const wire::WorkerConfig& config, wire::Register self) {
    self.set_role(config.role());
    self.set_process_id(config.process_id());
    self.set_host(hostName());
    self.set_host_group(config.host_group());
    self.set_pid(::getpid());
    self.set_device("cpu");
    self.set_address(config.address());
    self.set_build(buildId());
    return self;
}

}  // namespace

/// Through which a thread answers that may outlive the member.
struct Member::AnswerGate {
    Mutex mutex;
    coordination::Client* client LS_GUARDED_BY(mutex) = nullptr;  ///< Null: nobody hears it.
    std::optional<std::uint32_t> lastDeaf LS_GUARDED_BY(mutex);   ///< What was answered last.

    void answer(std::uint32_t deaf) {
        const Lock lock(mutex);
        lastDeaf = deaf;
        if (client != nullptr) client->reportThreads(deaf);
    }
    /// The log of the last answer is not written yet: a process that lives says what it knows.
    void answerAgain() {
        const Lock lock(mutex);
        if (client != nullptr && lastDeaf) client->reportThreads(*lastDeaf);
    }
};

Member::Member()
    : answers_(std::make_shared<AnswerGate>()),
      stacks_([answers = answers_](const std::string& whose, const StackTeller::Say& say) {
          tellStacks(whose, say, [&answers](std::uint32_t deaf) { answers->answer(deaf); });
      }) {}

Result<std::unique_ptr<Member>> Member::join(const wire::WorkerConfig& config,
                                             const config::JobSpec& job, wire::Register self,
                                             TerminationWatch* termination, bool isOwnProcess) {
    auto member = std::unique_ptr<Member>(new Member);
    for (std::uint32_t i = 0; i < self.replicas(); ++i)
        member->cells_.push_back(std::make_unique<telemetry::ReplicaProgressCell>());
    const std::uint32_t firstReplica = config.process_id() * self.replicas();

    member->name_ = coordination::nameOf({config.role(), config.process_id()});
    member->victim_ = member->makeVictim(config, job);
    member->links_ = member->makeProbe(config);
    auto context = TRY(wire::Context::make());
    coordination::ClientOptions options;
    options.endpoint = "tcp://" + config.coordinator_address();
    options.serverPublicKey = config.keys().server_public();
    options.keys = {config.keys().own_public(), config.keys().own_secret()};
    options.runId = config.run_id();
    options.generation = config.generation();
    options.self = registration(config, std::move(self));
    options.heartbeatTimeout =
        std::chrono::duration_cast<Nanos>(Seconds(job.cluster.heartbeatTimeoutSeconds));
    member->client_ = TRY(coordination::Client::connect(
        context, std::move(options), member->callbacks(firstReplica, isOwnProcess)));
    {
        const Lock lock(member->answers_->mutex);
        member->answers_->client = member->client_.get();
    }
    member->termination_ = termination;
    if (termination != nullptr)
        termination->whenAsked([client = member->client_.get()] { client->requestStop(); });
    // A little longer than the coordinator waits, whose sentence names the processes that are
    // missing.
    constexpr std::chrono::seconds kCoordinatorSpeaksFirst{5};
    member->welcome_ = TRY(member->client_->join(
        std::chrono::duration_cast<Nanos>(Seconds(job.cluster.initializationTimeoutSeconds)) +
        kCoordinatorSpeaksFirst));
    return member;
}

/// Drills are for processes of our own: fit() runs in that of somebody else.
coordination::ClientCallbacks Member::callbacks(std::uint32_t firstReplica, bool isOwnProcess) {
    return {
        .fillHeartbeat =
            [this, firstReplica](wire::Heartbeat& heartbeat) {
                const Nanos now = SteadyClock::read();
                for (std::uint32_t i = 0; i < cells_.size(); ++i)
                    *heartbeat.add_replicas() = cells_[i]->toWire(firstReplica + i, now);
            },
        .onAbort = [this](const std::string& cause, int) { abort(cause); },
        .onStop = [this](const std::string&) { stopRequested_.store(true); },
        .onInflict = isOwnProcess
                         ? std::function<void(const wire::DrillRequest&)>(
                               [this](const wire::DrillRequest& order) { victim_->take(order); })
                         : nullptr,
        .onTellStacks = isOwnProcess ? std::function<void(const wire::TellStacks&)>(
                                           [this](const wire::TellStacks& ask) {
                                               if (!stacks_.tell(name_, ask.seconds()))
                                                   answers_->answerAgain();
                                           })
                                     : nullptr,
        .onProbeLinks = [this](const wire::ProbeLinks& question) { links_->begin(question); },
    };
}

/// Where the gradients go, too.
std::unique_ptr<LinkProbe> Member::makeProbe(const wire::WorkerConfig& config) {
    const auto address = config::parseAddress(config.address());
    return std::make_unique<LinkProbe>(
        [this, process = config.process_id(), host = address ? address->host : "127.0.0.1"](
            const wire::ProbeLinks& question, const std::stop_token& stop) {
            const auto report = [this](wire::LinkReport found) {
                wire::Record record;
                *record.mutable_link_report() = std::move(found);
                std::ignore = client_->sendRecord(std::move(record));  // not told: not known
            };
            probeLinks(*this, question, process, host, report, stop);
        });
}

std::unique_ptr<DrillVictim> Member::makeVictim(const wire::WorkerConfig& config,
                                                const config::JobSpec& job) {
    const auto coordinator = config::parseAddress(config.coordinator_address());
    return std::make_unique<DrillVictim>(
        DrillVictim::Options{.checkpoints = std::filesystem::path(config.run_dir()) / "checkpoints",
                             .mayRestart = std::max(config.restarts(), config.generation()) <
                                           static_cast<std::uint32_t>(job.launch.restarts()),
                             .keepsSteps = job.launch.keepsSteps(),
                             .seesRunFolder = !config.fetch_checkpoints(),
                             .coordinatorPort = coordinator
                                                    ? static_cast<std::uint16_t>(coordinator->port)
                                                    : std::uint16_t{0}},
        [this](wire::Record record) {
            return client_->sendRecord(std::move(record)).has_value() &&
                   client_->flush(kDrillPatience).has_value();
        },
        [this] {
            std::uint64_t step = 0;
            for (const auto& cell : cells_)
                step = std::max(step, cell->read().step);
            return step;
        });
}

Member::~Member() {
    victim_->end();
    links_->end();
    if (termination_ != nullptr) termination_->whenAsked({});
    const Lock lock(answers_->mutex);
    answers_->client = nullptr;
}

void Member::abort(const std::string& cause) {
    aborted_.store(true);
    std::fprintf(stderr, "warning: the job ends: %s\n", cause.c_str());
    Lock lock(mutex_);
    for (collective::Communicator* communicator : communicators_)
        communicator->abort();
}

void Member::watch(std::vector<collective::Communicator*> communicators) {
    Lock lock(mutex_);
    communicators_ = std::move(communicators);
    if (!aborted_.load()) return;
    for (collective::Communicator* communicator : communicators_)
        communicator->abort();
}

void Member::report(const Error& error) {
    wire::ReportError report;
    report.set_cause(error.message);
    report.set_remedy(error.remedy);
    report.set_step(cells_.empty() ? 0 : cells_.front()->read().step);
    if (error.code == ErrorCode::Diverged)
        report.set_suspect_checkpoint(
            suspectCheckpoint(origin_, static_cast<std::int64_t>(report.step())));
    if (const auto lost = collective::lostReplicaIn(error.message)) report.set_lost_replica(*lost);
    report.set_secondary(error.code == ErrorCode::PeerLost || error.code == ErrorCode::Timeout);
    report.set_kind(isBadInput(error.code) ? wire::ERROR_BAD_INPUT : wire::ERROR_JOB_FAILED);
    client_->reportError(report, std::chrono::seconds(3));
}

Result<void> Member::set(std::string_view key, std::string_view value) {
    return client_->set(std::string(key), std::string(value));
}

Result<std::string> Member::get(std::string_view key, Nanos timeout) {
    return client_->get(std::string(key), timeout);
}

}  // namespace lockstep::train
