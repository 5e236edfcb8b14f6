// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"

namespace lockstep::config {

// The launchers that are recognised by what they put into the environment, in the order in which
// they are tried: "agent", "ompi", "slurm", "pmi", "torchrun", "k8s". Each is present when all its
// variables (the first line) are set; what else it reads is behind them.
//
// agent     LOCKSTEP_COORDINATOR_ADDRESS, LOCKSTEP_NUM_PROCESSES, LOCKSTEP_PROCESS_ID
//           (…_ROLE worker|evaluator, …_JOB_ADDRESSES, …_LOCAL_PROCESS_ID, …_LOCAL_DEVICE_IDS,
//           …_DEVICES_PER_PROCESS, …_START_ID); a part of the three is an error
// ompi      OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_RANK
//           (…_LOCAL_RANK, …_LOCAL_SIZE; the address from OMPI_MCA_orte_hnp_uri of Open MPI 4, or
//           from PMIX_NAMESPACE of Open MPI 5)
// slurm     SLURM_JOB_ID, SLURM_STEP_NODELIST, SLURM_NTASKS, SLURM_PROCID, SLURM_LOCALID
//           (SLURM_STEP_NUM_TASKS, SLURM_STEP_TASKS_PER_NODE, SLURM_NODEID, SLURM_DISTRIBUTION,
//           SLURM_STEP_ID, SLURM_RESTART_COUNT); port 61440 + job id % 4096
// pmi       PMI_RANK, PMI_SIZE, as MPICH and Intel MPI set them
//           (MPI_LOCALRANKID, MPI_LOCALNRANKS); an address on one host alone, at port 61440
// torchrun  MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK
//           (LOCAL_RANK, TORCHELASTIC_RUN_ID, TORCHELASTIC_RESTART_COUNT; with
//           TORCHELASTIC_USE_AGENT_STORE the port is 61440 + MASTER_PORT % 4096, as torchrun
//           itself listens at MASTER_PORT)
// k8s       KUBERNETES_SERVICE_HOST, JOB_COMPLETION_INDEX
//           (HOSTNAME, LOCKSTEP_K8S_PARALLELISM, LOCKSTEP_K8S_SUBDOMAIN, by default the job's
//           name, LOCKSTEP_K8S_JOB_UID); process 0 is JOB-0.SUBDOMAIN:55527
//
// JAX_COORDINATOR_PORT replaces the port that ompi, slurm, pmi and k8s work out. A launcher that
// numbers the processes of a host gives each one accelerator (localDeviceIds, as JAX has it).

/// What the launcher that started this process says. Empty `method`: the first that is present, or
/// nothing. A method by name ("mpi4py": whichever of ompi, slurm and pmi is present): BadInput when
/// it is unknown (did-you-mean), refused ("tpu"), or its variables are absent or malformed, naming
/// them. "deactivate": nothing.
[[nodiscard]] Result<std::optional<ClusterFacts>> detectCluster(const Environment& environment,
                                                                std::string_view method = {});

/// What variables that describe a cluster by intent say: KERAS_DISTRIBUTION_JOB_ADDRESSES (one
/// address alone is the coordinator's), …_NUM_PROCESSES and …_PROCESS_ID; TF_CONFIG;
/// JAX_COORDINATOR_ADDRESS, JAX_COORDINATOR_BIND_ADDRESS, JAX_LOCAL_DEVICE_IDS, JAX_PARTITION_INDEX
/// and its deprecated name JAX_SLICE_INDEX.
/// BadInput names the variable, its value and the way out; also when two of them disagree.
[[nodiscard]] Result<ClusterFacts> readEnvironment(const Environment& environment);

}  // namespace lockstep::config
