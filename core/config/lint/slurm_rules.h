// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::config {

/// Seconds of a time limit in one of sbatch's forms: minutes, minutes:seconds,
/// hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds. Nothing for
/// another text, and for a limit of 0, which would be none.
[[nodiscard]] std::optional<std::int64_t> slurmSeconds(std::string_view timeLimit);

/// Whether an item of slurm.options may be handed to sbatch: `--name` or `--name=value`, of those
/// options that choose resources. BadInput names the key that says it instead, or the option that
/// was meant.
[[nodiscard]] Result<void> checkSlurmOption(std::string_view option);

}  // namespace lockstep::config
