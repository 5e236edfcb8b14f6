// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/cluster_facts.h"
#include "core/config/finding.h"

namespace lockstep::config {

/// What a TF_CONFIG says, by TensorFlow's own rules: the chief is process 0, worker i is process
/// i + (1 with a chief, else 0), the evaluator is no training process and may be absent from
/// `cluster`. `{}` says nothing. Every value's origin is `origin`.
///
/// BadInput where TensorFlow refuses, in its words, and where it silently trains something else:
/// unknown keys and roles (did-you-mean), a missing `cluster`, keys given twice, parameter servers,
/// an address without a port or given to two tasks.
[[nodiscard]] Result<ClusterFacts> readTfConfig(std::string_view json, const Origin& origin);

/// How many tasks of which role it names: "a chief, 2 workers and an evaluator". Empty for what
/// readTfConfig refuses.
[[nodiscard]] std::string tfConfigRoles(std::string_view json);

}  // namespace lockstep::config
