// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"

namespace lockstep::config {

/// Whether two sources of the same rank agree where both say something: BadInput names the value
/// and both origins ("num_processes is 3 from …, but 2 from TF_CONFIG").
[[nodiscard]] Result<void> checkAgreement(const ClusterFacts& first, const ClusterFacts& second);

/// Keras' sentence for a count that differs from the number of addresses, with the origins.
[[nodiscard]] Error countMismatch(const Sourced<std::vector<Address>>& addresses,
                                  const Sourced<int>& count);

/// "The provided job_addresses ['a:1', 'b:1'] has 2 jobs, but num_processes is 3": Keras' own
/// words, with its list in Python's notation, so that a search finds them.
[[nodiscard]] std::string countMismatchSentence(const std::vector<Address>& addresses, int count);

}  // namespace lockstep::config
