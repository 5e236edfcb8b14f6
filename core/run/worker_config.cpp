// SPDX-License-Identifier: Apache-2.0
#include "core/run/worker_config.h"

#include "core/coordination/ticket/job_keys.h"

namespace lockstep::run {

std::optional<wire::WorkerConfig> workerConfigOf(const wire::StartTicket& ticket,
                                                 const config::JobSpec& job,
                                                 const coordination::ProcessKey& process) {
    auto keys = coordination::keysOf(ticket, process);
    if (!keys) return std::nullopt;
    wire::WorkerConfig config;
    *config.mutable_keys() = std::move(*keys);
    config.set_run_id(ticket.run_id());
    config.set_run_dir(ticket.run_dir());
    config.set_job_toml(ticket.job_toml());
    config.set_coordinator_address(ticket.coordinator_address());
    config.set_role(process.role);
    config.set_process_id(process.id);
    config.set_num_processes(static_cast<std::uint32_t>(job.cluster.numProcesses));
    config.set_own_program(job.launch.runsOwnProgram());
    config.set_segment_fd(-1);
    return config;
}

}  // namespace lockstep::run
