// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/launchers.h"

namespace lockstep::config {

std::vector<std::string> Launcher::missing(const Environment& environment) const {
    std::vector<std::string> names;
    for (const std::string_view variable : variables)
        if (!environment.has(variable)) names.emplace_back(variable);
    return names;
}

const std::vector<Launcher>& launchers() {
    static const std::vector<Launcher> kLaunchers = {
        {"agent",
         {"LOCKSTEP_COORDINATOR_ADDRESS", "LOCKSTEP_NUM_PROCESSES", "LOCKSTEP_PROCESS_ID"},
         readAgentVariables,
         "Set all of LOCKSTEP_COORDINATOR_ADDRESS, LOCKSTEP_NUM_PROCESSES and LOCKSTEP_PROCESS_ID, "
         "or none of them."},
        {"ompi",
         {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
         readOpenMpiVariables,
         "Start the program with Open MPI's mpirun, or name no detection method."},
        {"slurm",
         {"SLURM_JOB_ID", "SLURM_STEP_NODELIST", "SLURM_NTASKS", "SLURM_PROCID", "SLURM_LOCALID"},
         readSlurmVariables,
         "Start the program with srun, also within sbatch and salloc, or name no detection "
         "method."},
        {"pmi",
         {"PMI_RANK", "PMI_SIZE"},
         readPmiVariables,
         "Start the program with mpiexec of MPICH or Intel MPI, or name no detection method."},
        {"torchrun",
         {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"},
         readTorchrunVariables,
         "Start the program with torchrun, or set what is missing."},
        {"k8s",
         {"KUBERNETES_SERVICE_HOST", "JOB_COMPLETION_INDEX"},
         readKubernetesVariables,
         "To enable automatic bootstrap in a K8s cluster, jobs must be indexed by setting "
         "`completionMode: \"Indexed\"`."},
    };
    return kLaunchers;
}

}  // namespace lockstep::config
