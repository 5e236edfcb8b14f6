// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/base/stack_teller.h"
#include "core/base/termination_watch.h"
#include "core/collective/communicator.h"
#include "core/collective/store.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/client/client.h"
#include "core/telemetry/progress.h"
#include "core/train/checkpoints/suspect_checkpoint.h"
#include "core/train/drill/drill_victim.h"
#include "core/train/link_probe.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::train {

/// A process's membership in its job: the connection to the coordinator, with heartbeats that say
/// where its replicas are, and what the coordinator's two orders (stop, abort) do here.
class Member final : public collective::Store {
public:
    /// Connects and registers as `self`, which has replicas and devices; the rest is the
    /// configuration's. Returns when all workers have (the evaluator: at once). A SIGTERM, which
    /// may have come already, asks the coordinator to stop the job, also while others are waited
    /// for. `termination` may be null, else it must outlive the member. Not of our own is the
    /// process of a program that calls fit(): no drill is for it.
    [[nodiscard]] static Result<std::unique_ptr<Member>> join(const wire::WorkerConfig& config,
                                                              const config::JobSpec& job,
                                                              wire::Register self,
                                                              TerminationWatch* termination,
                                                              bool isOwnProcess = true);

    ~Member() override;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    [[nodiscard]] coordination::Client& client() { return *client_; }
    [[nodiscard]] const wire::Welcome& welcome() const { return welcome_; }
    [[nodiscard]] const std::atomic<bool>& stopRequested() const { return stopRequested_; }
    [[nodiscard]] bool aborted() const { return aborted_.load(); }
    [[nodiscard]] telemetry::ReplicaProgressCell& progress(int localReplica) {
        return *cells_[static_cast<std::size_t>(localReplica)];
    }

    /// Where a drill leaves faults for the steps of the process's first replica.
    [[nodiscard]] StepFaults& stepFaults() { return victim_->steps(); }

    /// From now on an abort wakes everyone who waits in these. They must be withdrawn (by an empty
    /// list) before they are destroyed.
    void watch(std::vector<collective::Communicator*> communicators);

    /// The training goes on from that checkpoint, and writes one after so many steps.
    void wentOnFrom(std::int64_t checkpoint, std::int64_t interval) {
        origin_ = {checkpoint, interval};
    }
    /// Tells the coordinator why this process cannot go on, and waits until the cause is named.
    void report(const Error& error);

    [[nodiscard]] Result<void> set(std::string_view key, std::string_view value) override;
    [[nodiscard]] Result<std::string> get(std::string_view key, Nanos timeout) override;

private:
    struct AnswerGate;

    Member();
    void abort(const std::string& cause);
    [[nodiscard]] std::unique_ptr<DrillVictim> makeVictim(const wire::WorkerConfig& config,
                                                          const config::JobSpec& job);
    [[nodiscard]] std::unique_ptr<LinkProbe> makeProbe(const wire::WorkerConfig& config);
    [[nodiscard]] coordination::ClientCallbacks callbacks(std::uint32_t firstReplica,
                                                          bool isOwnProcess);

    std::string name_;  ///< "process 2".
    std::vector<std::unique_ptr<telemetry::ReplicaProgressCell>> cells_;
    std::atomic<bool> stopRequested_{false};
    std::atomic<bool> aborted_{false};
    CheckpointOrigin origin_{};
    Mutex mutex_;
    std::vector<collective::Communicator*> communicators_ LS_GUARDED_BY(mutex_);
    wire::Welcome welcome_;
    TerminationWatch* termination_ = nullptr;
    std::unique_ptr<DrillVictim> victim_;
    const std::shared_ptr<AnswerGate> answers_;
    StackTeller stacks_;
    std::unique_ptr<LinkProbe> links_;
    std::unique_ptr<coordination::Client> client_;  // last: its thread uses all of the above
};

}  // namespace lockstep::train
