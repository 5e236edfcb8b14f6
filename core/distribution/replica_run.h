// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lockstep::distribution {

/// Half-open range of samples.
struct SampleShare {
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// The replica for which Strategy::run() calls a function. (tf.distribute.ReplicaContext)
struct ReplicaContext {
    int replica = 0;            ///< Among all of the cluster, from 0.
    int numReplicasInSync = 1;  ///< Of the cluster.
    int localReplica = 0;       ///< Among this process's, from 0.
    std::string device;         ///< "cpu:0", as the strategy's mesh names it.

    /// Its part of a global batch of so many samples: contiguous, of sizes that differ by at most
    /// one; in a small batch it may be empty.
    [[nodiscard]] SampleShare share(std::size_t samples) const;
};

/// How Strategy::reduce() makes one value of those of all replicas.
enum class ReduceOp : std::uint8_t { Sum, Mean };

}  // namespace lockstep::distribution
