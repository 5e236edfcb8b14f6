// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// Whether the model is dense layers one behind the other, without any option but units and
/// activation: ModelSpec::layers says all of it, and there is no description.
[[nodiscard]] inline bool isDenseStack(const ModelSpec& model) {
    return !model.isDescribed && model.description.layers.empty();
}

/// The model as a description, of a dense stack, too.
[[nodiscard]] model::Description descriptionOf(const ModelSpec& model);

}  // namespace lockstep::config
