// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::config {
struct DataSpec;
}

namespace lockstep::data {

/// In which order the samples of an epoch come.
struct SampleOrder {
    /// From how many samples each next one is drawn, as tf.data's shuffle() does; 1: they come in
    /// their order; 0 draws from all.
    std::uint32_t buffer = 0;
    bool eachEpoch = true;       ///< False: every epoch has the order of the first.
    bool dropRemainder = false;  ///< The last batch of an epoch, where it is smaller.
};

/// The order of epoch `epoch` (from 0): a permutation of 0 to samples - 1 that depends on these
/// numbers alone. With a buffer of B, place p holds a sample before p + B.
[[nodiscard]] std::vector<std::uint32_t> sampleOrder(std::uint32_t samples, std::uint64_t seed,
                                                     std::int64_t epoch,
                                                     const SampleOrder& order = {});

/// Samples [first, first + count).
struct SampleRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// Whose samples are whose: of each group of replicas (one a process) the ranges that it goes
/// through, by itself.
using SampleShards = std::vector<std::vector<SampleRange>>;

/// Deals files out to `groups`, as tf.data's FILE policy does: file i is group i % groups'.
/// `files`: how many samples each holds, in their order.
[[nodiscard]] SampleShards dealFiles(const std::vector<std::uint32_t>& files, int groups);

/// As a job's data.shuffle and its kin say; its seed is data.shuffle_seed, else the job's.
[[nodiscard]] SampleOrder orderOf(const config::DataSpec& spec);

}  // namespace lockstep::data
