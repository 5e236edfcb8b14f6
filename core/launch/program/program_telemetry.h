// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/client/client.h"
#include "core/launch/program/program_reports.h"
#include "core/telemetry/process_figures.h"
#include "core/wire/local_receiver.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::launch {

/// What a user's own program tells, on its way from the local socket to the run's journal, together
/// with what process 0 says of the run for it. Used by one thread, but for `progress`.
class ProgramTelemetry {
public:
    ProgramTelemetry(const wire::WorkerConfig& config, const config::JobSpec& job);

    /// From the client's own thread: where the program is.
    [[nodiscard]] wire::ReplicaProgress progress();

    /// Listens in the report folder. Where that fails the program runs all the same, unseen; a
    /// line of the log says why. Empty: nobody listens; else what programs connect to.
    [[nodiscard]] std::string listen();
    /// The program runs under `pid`.
    void begin(coordination::Client& client, pid_t pid);
    /// Passes on what has come, and figures of the process now and then. Returns soon, but for one
    /// short wait at the beginning of a restart.
    void poll();
    /// A named figure that this process found somewhere itself (a file that the program writes): it
    /// is sent with the next poll. Full: poll before the next one.
    telemetry::ScalarRecorder::Added reportScalar(std::string_view name, std::uint64_t step,
                                                  double wallTime, double value,
                                                  std::string_view unit = {});
    /// Passes on the last words of a program that has ended.
    void pollLast();
    /// The program has ended in order.
    void finish();
    /// Process 0's part of the run's summary, as JSON.
    [[nodiscard]] std::string summary();

private:
    [[nodiscard]] bool isChief() const { return config_.process_id() == 0; }
    /// Whether an earlier start of this run has a history.
    [[nodiscard]] bool goesOn() const { return config_.generation() > 0 || config_.resume(); }
    void takeReports(int most);
    void take(const std::string& line);
    void noteBeginning();
    void sendScalars();
    void sendRunInfo();
    void sendState();
    void sendFigures(Nanos now);
    void send(wire::Record record);

    const wire::WorkerConfig& config_;
    const config::JobSpec& job_;
    Mutex mutex_;
    ProgramReports reports_ LS_GUARDED_BY(mutex_);
    coordination::Client* client_ = nullptr;
    std::unique_ptr<wire::LocalReceiver> inbox_;
    std::optional<telemetry::ProcessProbe> probe_;
    std::optional<ProgramPlan> sentPlan_;
    bool saidMalformed_ = false;
    bool saidDropped_ = false;
    bool saidBeginning_ = false;
    bool saidLoss_ = false;
    bool saidLost_ = false;  ///< Figures for which there was no room here.
    Nanos began_{};
    Nanos nextFigures_{};
};

}  // namespace lockstep::launch
