// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"

namespace lockstep::data {

/// Takes data.augment and data.normalize into a data set that was loaded: what becomes of training
/// images, and what the network does to all of them first, which is part of the fingerprint; and
/// says in `preparation` what images are made of. BadInput when they do not fit the data.
[[nodiscard]] Result<void> prepareImages(const config::DataSpec& spec, Dataset& dataset);

}  // namespace lockstep::data
