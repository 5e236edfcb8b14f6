// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint {

/// state.json, in one line. Corrupt where its sampleFacts are none, or more than can be read again.
[[nodiscard]] Result<std::string> encodeState(const TrainingState& state);
/// Corrupt when a key is missing, unknown or of another type.
[[nodiscard]] Result<TrainingState> parseState(std::string_view text);

}  // namespace lockstep::checkpoint
