// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/environment.h"
#include "core/base/result.h"

namespace lockstep::distribution {

/// What keras.distribution.initialize and jax.distributed.initialize take, and what keeps
/// strangers out. What is absent comes from the environment (KERAS_DISTRIBUTION_*, TF_CONFIG,
/// JAX_*), else from the launcher that is detected; what is given here beats both.
struct InitializeOptions {
    /// "10.0.0.1:1234,10.0.0.2:2345": of all processes in order of their ids, or of process 0
    /// alone. Process 0 hosts the coordinator at the first.
    std::optional<std::string> jobAddresses;
    std::optional<int> numProcesses;
    std::optional<int> processId;  ///< 0 to numProcesses - 1.
    /// Process 0's "host:port", where only that is given (jax).
    std::optional<std::string> coordinatorAddress;
    /// The devices that this process uses, by their local numbers. Absent: its share of its
    /// machine's GPUs, all of them where no other process of the group sees them; the one of its
    /// place on its host, where a launcher numbers the processes there. Without GPUs their number
    /// is that of its CPU devices. A GPU that is not there is BadInput.
    std::optional<std::vector<int>> localDeviceIds;
    /// "ompi", "slurm", "pmi", "torchrun", "k8s"; "deactivate": none; empty: the first present.
    std::string clusterDetectionMethod;
    double initializationTimeoutSeconds = 300;
    /// Silence after which a process counts as dead. It beats once a second.
    double heartbeatTimeoutSeconds = 100;
    double shutdownTimeoutSeconds = 300;
    /// Where process 0 listens, when not at all addresses of its machine.
    std::optional<std::string> coordinatorBindAddress;
    std::optional<int> partitionIndex;  ///< All processes give one, or none does.
    std::optional<int> sliceIndex;      ///< Deprecated name of partitionIndex.

    // How strangers are kept out. On one machine, and where a scheduler gives the start a name,
    // nothing need be said. Across machines one of the following, or a secret file that
    // LOCKSTEP_JOB_SECRET_FILE names; the secret itself never lies in the environment.

    /// A secret that every process is given, of at least 32 characters, from which all keys of the
    /// job follow: machines need share no file. Read to its end, within 30 s; not closed.
    std::optional<int> secretFd;
    /// Likewise from a file that only this user may use (mode 0600, checked).
    std::filesystem::path secretFile;
    /// Through this file (0600, on a file system that all hosts share) process 0 hands the others
    /// the job's keys: the same path in every process.
    std::filesystem::path keyFile;
    /// Whoever reaches the coordinator's port may join and read everything: no keys at all.
    bool insecure = false;

    /// The seed that all shall use; absent: they agree on a random one, see agreedSeed().
    std::optional<std::uint64_t> seed;
    /// Another process has died, or the coordinator: called once, with the sentence that names it,
    /// on a thread of its own for which nothing waits; it may call shutdown() or end the program.
    /// In process 0, which has the coordinator, it is called once the others know, too, or 3 s
    /// later. Empty: the sentence is printed as `error: …` and this process exits with status 1, so
    /// that none waits for ever for one that is gone (as jax.distributed does).
    std::function<void(const std::string& sentence)> onFailure;

    /// Instead of this process's own variables.
    std::optional<Environment> environment;
};

/// Forms the group of all processes: meets them at process 0's coordinator and waits until all
/// have come. To be called once, before devices are used. BadInput: what was given does not fit
/// together, each in one sentence with its origin; Timeout: it names the processes that did not
/// come; Unavailable: refused, the port is taken, or no safe way to hand over the keys. A process
/// that is started again alone, while those of before still run and count it among them, waits for
/// their next start until the timeout, and says so on stderr.
[[nodiscard]] Result<void> initialize(const InitializeOptions& options = {});

/// Whether a group has been formed and not been shut down.
[[nodiscard]] bool isInitialized();

/// Waits (shutdownTimeoutSeconds) until all processes call it, then leaves the group. Nothing
/// happens without a group. Timeout names the processes that did not come; the group is left all
/// the same.
[[nodiscard]] Result<void> shutdown();

/// This process's number and how many there are; 0 and 1 without a group.
[[nodiscard]] int processId();
[[nodiscard]] int processCount();

/// One number that all processes of the group have agreed on: the seed that was given to process
/// 0, else a random one. Without a group a random number, the same at every call.
[[nodiscard]] std::uint64_t agreedSeed();

}  // namespace lockstep::distribution
