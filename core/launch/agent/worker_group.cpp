// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/worker_group.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/try.h"

namespace lockstep::launch {

namespace {

constexpr Millis kTick{50};
constexpr std::chrono::seconds kThreadInterval{1};
constexpr std::chrono::seconds kOwnEndPatience{1};  ///< For survivors, who have heard the abort.
constexpr std::chrono::seconds kTerminationGrace{5};
/// Behind the heartbeat timeout: its silence is the cause, not what its agent did about it.
constexpr std::chrono::seconds kLossIsKnown{2};

}  // namespace

WorkerGroup::WorkerGroup(Options options, run::AgentRecord agent, Reports reports)
    : options_(std::move(options)),
      reports_(std::move(reports)),
      self_{wire::ROLE_AGENT, agent.memberId},
      ownThreads_(::getpid()),
      registration_(std::move(agent)),
      kept_(options_.workerProgram, options_.keeper,
            {options_.keeperPatience, options_.places.folder}),
      processes_(std::make_unique<HostProcesses>(options_.workerProgram, options_.places,
                                                 HostProcesses::Callbacks{})) {}

void WorkerGroup::enlist() {
    registration_.update({run::entryOfThisProcess("agent")});
}

HostProcesses::Callbacks WorkerGroup::callbacksOf(std::uint32_t generation) {
    return {
        .onLine =
            [this](const wire::LogLine& line) {
                wire::Record record;
                *record.mutable_log() = line;
                reports_.record(std::move(record));
            },
        .onExit =
            [this, generation](const wire::ProcessExit& exit) {
                reports_.exit(exit, generation);
                std::ignore = noteProcesses();
            },
        .onHeld = [this,
                   generation](const wire::ProcessHeld& held) { reports_.held(held, generation); },
        .onNotice = [this](const wire::Notice& notice) { tell(notice); },
    };
}

Result<void> WorkerGroup::begin(std::uint32_t generation, std::vector<wire::WorkerConfig> processes,
                                int memory) {
    processes_ = std::make_unique<HostProcesses>(options_.workerProgram, options_.places,
                                                 callbacksOf(generation),
                                                 options_.heartbeatTimeout + kLossIsKnown);
    for (wire::WorkerConfig& config : processes) {
        config.set_generation(generation);
        config.set_host_group(options_.hostGroup);
        const bool isWorker = config.role() == wire::ROLE_WORKER;
        config.set_segment_fd(isWorker ? memory : -1);
        if (isWorker && options_.keepsSteps) config.set_kept_fd(TRY(kept_.of(config.process_id())));
        TRY(processes_->start(config));
    }
    return noteProcesses();
}

Result<void> WorkerGroup::noteProcesses() {
    auto entries = processes_->entries();
    entries.insert(entries.begin(), run::entryOfThisProcess("agent"));
    registration_.update(entries);
    return reports_.running ? reports_.running(entries) : Result<void>();
}

bool WorkerGroup::poll(int wakeFd) {
    const bool isWoken = processes_->poll(kTick, wakeFd);
    tellOwnThreads(SteadyClock::read());
    return isWoken;
}

void WorkerGroup::tellOwnThreads(Nanos now) {
    if (now < nextLookAtThreads_) return;
    nextLookAtThreads_ = now + kThreadInterval;
    for (const ThreadNews& news : ownThreads_.look(now)) {
        wire::Notice notice;
        notice.set_role(self_.role);
        notice.set_process_id(self_.id);
        notice.set_sentence(threadSentence(news, coordination::nameOf(self_, hostName())));
        tell(notice);
    }
}

void WorkerGroup::tell(const wire::Notice& notice) {
    wire::Record record;
    *record.mutable_notice() = notice;
    reports_.record(std::move(record));
}

void WorkerGroup::end() {
    processes_->terminate(kOwnEndPatience, kTerminationGrace);
}

void WorkerGroup::endAtOnce(Nanos patience) {
    processes_->terminate(patience, Nanos{});
}

bool WorkerGroup::runs(const coordination::ProcessKey& process) const {
    return std::ranges::any_of(processes_->entries(), [&](const run::ProcessEntry& entry) {
        return (entry.role == "evaluator") == (process.role == wire::ROLE_EVALUATOR) &&
               entry.processId == static_cast<int>(process.id);
    });
}

}  // namespace lockstep::launch
