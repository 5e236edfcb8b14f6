// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/exchange/missed_records.h"
#include "core/coordination/server/hosted_coordinator.h"
#include "core/coordination/state/process_key.h"
#include "core/coordination/ticket/offered_ticket.h"
#include "core/run/event_writer.h"
#include "core/run/run_folder.h"
#include "core/run/start_refusal.h"
#include "core/run/summary_file.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::run {

/// The run that is to be hosted.
struct RunPlan {
    std::string runId;
    std::filesystem::path folder;
    bool resume = false;
    std::filesystem::path createdFolder{};  ///< RunFolder::open
    bool fromScratch = false;               ///< Likewise.
    config::JobSpec job;                    ///< Resolved.
    std::string jobToml;                    ///< The same, as it is kept.
    std::string jobFolder;                  ///< For relative paths in it.
    config::Address listen;                 ///< Of the coordinator: host or *, port or 0.
    std::uint32_t evaluators = 0;           ///< So many will come.
    /// JobRules::agents
    std::map<coordination::ProcessKey, std::uint32_t> agents{};
    /// All processes are watched by who hosts the run. Of others' ends nothing but silence may
    /// tell.
    bool seesAllEnds = true;
    std::vector<wire::Failure> failuresBefore{};  ///< After each of which the run has begun again.
    std::vector<wire::HostReplacement> replacedHosts{};
    std::vector<wire::HostLeftBehind> leftHosts{};
    double secondsBefore = 0;  ///< Since the first start began.
};

/// How long the end of a run waits, each at most.
struct EndPatience {
    Nanos journal = std::chrono::seconds(10);    ///< With a disk that does not take it.
    Nanos eventFiles = std::chrono::seconds(3);  ///< Likewise.
    Nanos monitors = std::chrono::seconds(2);    ///< For them to take the rest of the journal.
    /// Instead, where nothing of the run will be left to read: for the first one, too. 0: for none.
    Nanos firstMonitor = std::chrono::seconds(5);
    Nanos lastEvents = std::chrono::seconds(20);  ///< For the thread of the event files, at last.
};

/// A run as whoever hosts it has it: the folder, the coordinator with its journal, the event files,
/// the ways in for monitors and for processes that others start, and the decision how it ends.
/// One thread.
class RunHost {
public:
    /// Everything that can be refused is refused here. BadInput, NotFound, Unavailable: the job or
    /// its places; nothing is left behind then.
    [[nodiscard]] static Result<std::unique_ptr<RunHost>> open(RunPlan plan);
    ~RunHost() = default;
    RunHost(const RunHost&) = delete;
    RunHost& operator=(const RunHost&) = delete;

    [[nodiscard]] const RunPaths& paths() const { return folder_.paths(); }
    [[nodiscard]] coordination::HostedCoordinator& coordinator() const { return *coordinator_; }
    [[nodiscard]] std::uint32_t generation() const { return generation_; }
    /// How often the run has begun again after a failure, those of earlier hosts of it included.
    [[nodiscard]] int restarts() const {
        return static_cast<int>(plan_.failuresBefore.size() + generation_);
    }

    /// After which it has, in their order.
    [[nodiscard]] const std::vector<wire::Failure>& failures() const { return failures_; }

    /// A ticket of this run that is for nobody yet, and without the coordinator's address.
    [[nodiscard]] wire::StartTicket blankTicket() const;
    /// Admits a process, and adds its keys to a ticket.
    [[nodiscard]] Result<void> admit(const coordination::ProcessKey& process,
                                     wire::StartTicket& ticket);
    /// Leaves a ticket for processes that others start; who comes once the run is over reads why
    /// there is nothing to join. `namesStart`: no other start has a ticket of this name.
    [[nodiscard]] Result<void> offerTicket(const std::filesystem::path& file, bool namesStart,
                                           const wire::StartTicket& ticket);
    /// Admits a process of this host, and says what it starts with. Its generation, address, group
    /// and shared memory are for whoever starts it to say.
    [[nodiscard]] Result<wire::WorkerConfig> configFor(const coordination::ProcessKey& process);

    /// What finds no room, or is too large, is counted, and said as soon as there is some.
    void append(wire::Record record);
    /// processes.json
    [[nodiscard]] Result<void> writeProcesses(const std::vector<ProcessEntry>& processes) const;

    /// After a generation that failed: the run goes on with another one.
    void beginGeneration(const coordination::Outcome& failed);
    /// The start came to nothing: leaves the folder as it was, but where the thread of the event
    /// files does not end within `lastEvents`. Nothing else is called after this.
    void takeBack(Nanos lastEvents = EndPatience{}.lastEvents);
    /// Decides how the run ends, says so everywhere and closes it. `beginsAgain`: its launcher may
    /// start it anew. The last call.
    [[nodiscard]] wire::RunEnd conclude(const coordination::Outcome& outcome,
                                        const EndPatience& patience, bool beginsAgain = false);

private:
    RunHost(RunPlan plan, RunFolder folder);

    [[nodiscard]] Result<void> start();
    [[nodiscard]] coordination::CoordinatorOptions coordinatorOptions() const;
    [[nodiscard]] bool endsBeforeItBegan(const coordination::Outcome& outcome) const;
    [[nodiscard]] RunFacts settle(const coordination::Outcome& outcome, const wire::RunEnd& end,
                                  const EndPatience& patience) const;
    void tellReadBack(RunFacts& facts) const;
    [[nodiscard]] bool onlyResumed(const std::string& summary) const;
    [[nodiscard]] std::string summaryOf(const std::string& chiefs, const RunFacts& facts) const;
    [[nodiscard]] std::string writeSummary(const std::string& chiefs, RunFacts facts) const;
    [[nodiscard]] std::unique_ptr<StartRefusal> refuseLateComers(
        const coordination::Outcome& outcome, const wire::RunEnd& end);
    void markSuspect(const wire::Failure& failure);
    void sayMissed(bool isLast);
    void tellTheEnd(const wire::RunEnd& end, const EndPatience& patience, bool leavesNothing);
    void endEvents(Nanos patience);
    void takeFolderBack();

    RunPlan plan_;
    RunFolder folder_;
    const Nanos began_;
    std::uint32_t generation_ = 0;
    std::uint32_t invitedAgents_ = 0;
    std::vector<wire::Failure> failures_;  ///< Of the generations that have ended.
    bool ticketNamesStart_ = false;
    telemetry::JournalDamage formerDamage_;  ///< That earlier starts have left in the journal.
    std::unique_ptr<EventWriter> events_;    ///< Outlives the journal's writer.
    bool eventsHang_ = false;                ///< Its thread may write for as long as this process.
    std::unique_ptr<coordination::HostedCoordinator> coordinator_;
    std::optional<coordination::OfferedTicket> ticket_;
    coordination::MissedRecords missed_;
};

}  // namespace lockstep::run
