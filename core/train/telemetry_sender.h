// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/coordination/client/client.h"
#include "core/telemetry/step_ring.h"
#include "core/train/checkpoints/start_point.h"
#include "core/train/replica/kept_steps.h"
#include "core/train/send_times.h"

namespace lockstep::train {

/// Takes the step records out of the replicas' rings, as SendTimes says, and hands them to the
/// client; adds the process's memory and processor time, and the figures of its GPUs, every two
/// seconds. Thread "telemetry".
/// The step threads never wait for it.
class TelemetrySender {
public:
    TelemetrySender(coordination::Client& client, std::vector<telemetry::StepRing*> rings,
                    std::uint32_t processId, wire::Role role,
                    std::vector<std::string> gpuUuids = {}, KeptSteps* kept = nullptr,
                    std::function<std::int64_t(std::int64_t)> nextCheckpoint = {});
    /// Sends what is left: the step threads must have ended.
    ~TelemetrySender();
    TelemetrySender(const TelemetrySender&) = delete;
    TelemetrySender& operator=(const TelemetrySender&) = delete;

private:
    void loop(const std::stop_token& stop);
    void send(std::vector<wire::Record>& records);
    [[nodiscard]] std::int64_t sentByAll() const;

    coordination::Client& client_;
    std::vector<telemetry::StepRing*> rings_;
    std::uint32_t processId_;
    wire::Role role_;
    std::vector<std::string> gpuUuids_;  ///< Of each local replica; empty on the CPU.
    KeptSteps* kept_;  ///< Hears what has been told, for a next life; null: nowhere.
    SendTimes times_;  ///< The thread's own.
    std::jthread thread_;
};

/// Sends the records up to `start`'s step that a former life of the job's replica `replica` has
/// kept, and that are not in the journal (StartPoint::journalled): what it has handed to its client
/// may have been on its way when it was killed.
void tellFormerSteps(coordination::Client& client, KeptReplica& kept, int replica,
                     const StartPoint& start);

}  // namespace lockstep::train
