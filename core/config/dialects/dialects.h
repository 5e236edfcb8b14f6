// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// Forms in which other programs take the same cluster.
enum class Dialect : std::uint8_t { Keras, Jax, TfConfig, Torchrun, Hostfile };

/// keras | jax | tf_config | torchrun | hostfile. BadInput with did-you-mean for anything else.
[[nodiscard]] Result<Dialect> parseDialect(std::string_view word);
[[nodiscard]] std::string_view toString(Dialect dialect);

/// Whom the text is for. The default is process 0, and a note says so.
struct DialectTask {
    std::optional<int> processId;
    bool evaluator = false;
};

struct DialectText {
    std::string text;                ///< Lines, each ended by a newline.
    std::vector<std::string> notes;  ///< What to know before using it, one sentence each.
};

/// The cluster in a dialect: `KEY='value'` lines (quoted for a POSIX shell) for keras, tf_config
/// and torchrun, the keyword arguments of jax.distributed.initialize for jax, `host slots=N` lines
/// for hostfile. torchrun's counts by host are left out, with a note, where the job does not name
/// every process' host. BadInput for a process id out of range, for the evaluator where the dialect
/// knows none, and for processes that the dialect must list but the job does not name.
[[nodiscard]] Result<DialectText> printDialect(const JobSpec& spec, Dialect dialect,
                                               const DialectTask& task);

}  // namespace lockstep::config
