// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/environment.h"

namespace lockstep::config::test {

using Variables = Environment::Variables;

/// Task 2 of 3 on two nodes, as srun gives it (Slurm 22.05).
inline Variables slurmTask() {
    return {{"SLURM_JOB_ID", "123456"},
            {"SLURM_STEP_ID", "0"},
            {"SLURM_STEP_NODELIST", "node[001-002]"},
            {"SLURM_NTASKS", "3"},
            {"SLURM_STEP_NUM_TASKS", "3"},
            {"SLURM_STEP_TASKS_PER_NODE", "2,1"},
            {"SLURM_NODEID", "1"},
            {"SLURM_PROCID", "2"},
            {"SLURM_LOCALID", "0"}};
}

/// Rank 1 of 2 on one host, as mpirun gives it (Open MPI 4.1.4).
inline Variables openMpiRank() {
    return {{"OMPI_COMM_WORLD_SIZE", "2"},
            {"OMPI_COMM_WORLD_RANK", "1"},
            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
            {"PMIX_NAMESPACE", "1531576321"},
            {"OMPI_MCA_orte_hnp_uri",
             "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911;tcp6://[fd00::2]:59079"}};
}

/// Rank 3 of 4, two on each host, as torchrun gives it.
inline Variables torchrunRank() {
    return {{"MASTER_ADDR", "gpu01"},
            {"MASTER_PORT", "29500"},
            {"WORLD_SIZE", "4"},
            {"RANK", "3"},
            {"LOCAL_RANK", "1"},
            {"LOCAL_WORLD_SIZE", "2"},
            {"TORCHELASTIC_RUN_ID", "run-7"},
            {"TORCHELASTIC_RESTART_COUNT", "2"}};
}

/// Index 2 of an indexed job named "digits" in a headless service of the same name.
inline Variables kubernetesPod() {
    return {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
            {"JOB_COMPLETION_INDEX", "2"},
            {"HOSTNAME", "digits-2"},
            {"LOCKSTEP_K8S_PARALLELISM", "4"},
            {"LOCKSTEP_K8S_JOB_UID", "0b1c"}};
}

inline Variables agentProcess() {
    return {{"LOCKSTEP_COORDINATOR_ADDRESS", "10.0.0.1:4567"},
            {"LOCKSTEP_NUM_PROCESSES", "2"},
            {"LOCKSTEP_PROCESS_ID", "1"}};
}

/// The first with the second's variables.
inline Variables with(Variables variables, const Variables& more) {
    for (const auto& [name, value] : more)
        variables[name] = value;
    return variables;
}

inline Variables without(Variables variables, std::string_view name) {
    variables.erase(variables.find(name));
    return variables;
}

}  // namespace lockstep::config::test
