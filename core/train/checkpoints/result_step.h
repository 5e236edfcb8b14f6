// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_store.h"

namespace lockstep::train {

/// The step of the checkpoint that holds what a run has come to: where it has ended with the
/// weights of its best epoch (summary.json says so), that one, which a note says; else the newest
/// whose model verifies: the optimiser's state is not looked at. `warn` gets a sentence for each
/// that is damaged. NotFound where there is none, Corrupt where none can be read.
[[nodiscard]] Result<std::int64_t> resultStep(const std::filesystem::path& run,
                                              const checkpoint::CheckpointStore& store,
                                              const std::function<void(const std::string&)>& warn);

}  // namespace lockstep::train
