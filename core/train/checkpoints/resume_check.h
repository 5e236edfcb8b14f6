// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"

namespace lockstep::train {

/// The layers of a model, as a checkpoint's state names them: "dense 256 relu, dense 10 linear".
[[nodiscard]] std::string modelText(const config::ModelSpec& model);

/// BadInput when the checkpoint was trained on other data than these, or prepared otherwise.
[[nodiscard]] Result<void> checkSameData(const checkpoint::TrainingState& state,
                                         const data::Dataset& data);

/// BadInput when the checkpoint means nothing to the job: other data, batch size or seed, samples
/// shared in another way, another optimiser or other layers. `former`: the job that the run has
/// had so far; null where it is not known.
[[nodiscard]] Result<void> checkFits(const config::JobSpec& job, const data::Dataset& data,
                                     const checkpoint::LoadedCheckpoint& checkpoint,
                                     const config::JobSpec* former);

/// "training.learning_rate = 0.01 (was 0.001)": what a resumed job trains differently from the run
/// so far. How it is started and where it is kept makes no difference.
[[nodiscard]] std::vector<std::string> differences(const config::JobSpec& former,
                                                   const config::JobSpec& job);

}  // namespace lockstep::train
