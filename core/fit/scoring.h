// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/fit/dataset.h"
#include "core/train/handover/predictor.h"

namespace lockstep::fit {

/// "loss", "accuracy" and the metrics of the network's job over all samples, by their names. NaN
/// where a number is not known. So many CPU devices, 1 at least, share the batches; how many,
/// changes no result. BadInput for samples of another kind than it was trained on, and without
/// targets.
[[nodiscard]] Result<std::map<std::string, double>> scoreSamples(const train::SavedNetwork& saved,
                                                                 const Element& samples,
                                                                 int devices);

/// What the network gives for each sample: {samples, outputs} of float32. Targets do not matter.
/// BadInput as there.
[[nodiscard]] Result<Tensor> outputsOf(train::Predictor& predictor, const Tensor& x);

}  // namespace lockstep::fit
