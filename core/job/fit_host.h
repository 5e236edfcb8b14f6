// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/server/coordinator.h"
#include "core/launch/run/event_writer.h"
#include "core/launch/run/run_folder.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// What process 0 hosts while it trains in a user's own program: the run folder, the coordinator
/// of the run with its journal, and the keys of all who take part.
class FitHost {
public:
    struct Places {
        std::string bindHost;        ///< Where the coordinator listens; * for everywhere.
        std::string advertisedHost;  ///< Where the others reach it.
        std::filesystem::path runFolder;
        std::string jobFolder;
        bool resume = false;
    };

    /// `job`: resolved, with its cluster. Nothing is left behind when it fails.
    [[nodiscard]] static Result<std::unique_ptr<FitHost>> open(const config::JobSpec& job,
                                                               const Places& places);
    ~FitHost();
    FitHost(const FitHost&) = delete;
    FitHost& operator=(const FitHost&) = delete;

    /// Admits a process of the run and gives what it starts with, its key included. `address`: its
    /// machine's, as the others reach it; empty for an evaluator.
    [[nodiscard]] Result<wire::WorkerConfig> admit(wire::Role role, std::uint32_t processId,
                                                   const std::string& address);
    /// This process's own worker could not go on.
    void reportOwnFailure(const Error& error);
    /// Waits until the run has ended, writes its summary, and closes everything.
    [[nodiscard]] wire::RunEnd conclude();

private:
    FitHost(const config::JobSpec& job, const Places& places, launch::RunFolder folder);
    [[nodiscard]] Result<void> start();

    const config::JobSpec job_;
    const Places places_;
    launch::RunFolder folder_;
    const std::string runId_;
    const Nanos began_;
    wire::KeyPair serverKeys_;
    std::filesystem::path runtimeFolder_;
    std::unique_ptr<coordination::Coordinator> coordinator_;
    std::unique_ptr<launch::EventWriter> events_;
};

}  // namespace lockstep::job
