// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/environment.h"
#include "core/config/job/job_spec.h"

namespace lockstep::launch {

/// What a user's own program is told of its place in the job.
struct ProgramPlace {
    std::uint32_t processId = 0;
    std::vector<config::Address> addresses;  ///< Of all processes, with real ports.
    std::vector<std::string> hosts;          ///< Of all processes; equal ones are one host.
    std::uint32_t restarts = 0;              ///< How often the job was restarted so far.
    std::string runId;
    std::string runDir;
    std::string reportEndpoint;          ///< Empty: nobody takes reports.
    std::filesystem::path pythonFolder;  ///< Of lockstep_report; empty: it is not there.
    std::string networkInterface;        ///< That has this process's address; empty: unknown.
    int gpus = 0;                        ///< Of this host.
};

/// The whole environment of the program, as "NAME=value" in order of names: that of this process,
/// the job's cluster in every dialect (Keras, TF_CONFIG, JAX, torchrun, Lockstep's own), and last
/// launch.environment, which has the last word.
///
/// JAX reads an address, but neither a count nor an id: it finds these by detecting a launcher, and
/// Open MPI's variables are the ones that it takes alone. They say what torchrun's say, and the
/// number in OMPI_MCA_orte_hnp_uri, 0, is of no mpirun: nobody takes it for a place to meet. A
/// program that a real mpirun started through this process keeps what mpirun told it.
[[nodiscard]] std::vector<std::string> programEnvironment(const Environment& inherited,
                                                          const config::JobSpec& job,
                                                          const ProgramPlace& place);

/// The folder of the Python module that comes with this program; empty when it is not there.
[[nodiscard]] std::filesystem::path pythonModuleFolder();

/// How many NVIDIA GPUs this host has.
[[nodiscard]] int gpusOfThisHost();

/// The interface that has this numeric address; empty when none has it.
[[nodiscard]] std::string interfaceOf(const std::string& numericHost);

}  // namespace lockstep::launch
