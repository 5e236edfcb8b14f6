// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/state/process_key.h"
#include "core/run/run_host.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// The run that process 0 hosts while it trains in a user's own program, and the places of all who
/// take part.
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

    /// What this process's own worker starts with. `address`: this machine's, as the others reach
    /// it.
    [[nodiscard]] Result<wire::WorkerConfig> configForOwn(const std::string& address);
    /// What another process starts with, its key included. `address`: its machine's, as the others
    /// reach it; empty for an evaluator.
    [[nodiscard]] Result<wire::WorkerConfig> configFor(const coordination::ProcessKey& process,
                                                       const std::string& address);
    /// The start came to nothing: nothing is left behind.
    void takeBack() { run_->takeBack(); }
    /// This process's own worker could not go on.
    void reportOwnFailure(const Error& error);
    /// Waits until the run has ended, writes its summary, and closes everything.
    [[nodiscard]] wire::RunEnd conclude();

private:
    FitHost(std::unique_ptr<run::RunHost> run, std::string advertisedHost)
        : run_(std::move(run)), advertisedHost_(std::move(advertisedHost)) {}

    std::unique_ptr<run::RunHost> run_;
    std::string advertisedHost_;
};

}  // namespace lockstep::job
