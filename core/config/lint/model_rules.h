// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"
#include "core/config/lint/lint_report.h"
#include "core/model/data_facts.h"

namespace lockstep::config {

// Rules of lint() about the network.

/// A dense stack has a layer, and every layer its units.
void checkLayers(const JobSpec& spec, Report& report);
/// A dense stack gives as many numbers as there are classes.
void checkLastLayer(const JobSpec& spec, Report& report);
/// Any other model fits data whose size is known before they are read.
void checkModelFitsData(const JobSpec& spec, Report& report);

/// The same for data of that size, which has classes: every shape of the model is inferred.
void checkModel(const ModelSpec& model, const model::DataFacts& facts, Report& report);

}  // namespace lockstep::config
