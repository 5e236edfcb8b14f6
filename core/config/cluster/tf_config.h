// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"

namespace lockstep::config {

/// What a TF_CONFIG says, by TensorFlow's own rules: the chief is process 0, worker i is process
/// i + (1 with a chief, else 0), the evaluator is no training process and may be absent from
/// `cluster`. `{}` says nothing. Every value's origin is `origin`.
///
/// BadInput where TensorFlow refuses, in its words, and where it silently trains something else:
/// unknown keys and roles (did-you-mean), a missing `cluster`, keys given twice, parameter servers,
/// an address without a port or given to two tasks.
[[nodiscard]] Result<ClusterFacts> readTfConfig(std::string_view json, const Origin& origin);

/// How many tasks of each role a TF_CONFIG names, and which one this is.
struct TfConfigRoles {
    std::size_t chiefs = 0;
    std::size_t workers = 0;
    std::size_t evaluators = 0;
    std::string task;  ///< "worker 1"

    /// "a chief, 2 workers and an evaluator".
    [[nodiscard]] std::string list() const;
};

/// Nothing for `{}` and for what readTfConfig refuses.
[[nodiscard]] std::optional<TfConfigRoles> tfConfigRoles(std::string_view json);

}  // namespace lockstep::config
