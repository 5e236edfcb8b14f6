// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

/// The keys of the update rule, and those of [training.schedule].
[[nodiscard]] std::vector<Key<JobSpec>> optimizerKeys();
[[nodiscard]] std::vector<Key<JobSpec>> scheduleKeys();
/// What of [training.schedule] is reduce_on_plateau's.
[[nodiscard]] std::vector<Key<JobSpec>> plateauKeys();

/// "adamw", "cosine_decay": as the job file has it.
[[nodiscard]] std::string_view toString(OptimizerKind kind);
[[nodiscard]] std::string_view toString(ScheduleKind kind);

}  // namespace lockstep::config
