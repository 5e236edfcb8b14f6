// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"
#include "core/model/data_facts.h"

namespace lockstep::config {

// Rules of lint() about the network.

/// A dense stack has a layer, and every layer its units.
void checkLayers(const JobSpec& spec, Report& report);
/// A dense stack whose loss takes logits gives as many as there are classes.
void checkLastLayer(const JobSpec& spec, Report& report);
/// Any other model fits data whose size is known before they are read.
void checkModelFitsData(const JobSpec& spec, Report& report);

/// The same for such data: every shape of the model is inferred, and the last one is what the loss
/// takes.
void checkModel(const JobSpec& spec, const model::DataFacts& facts, Report& report);

}  // namespace lockstep::config
