// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/data_card.h"

namespace lockstep::job {

// A job's data for whoever shows them; makeDataCard() takes seconds, so not on a thread that must
// not wait.
using data::DataCard;
using data::DataCardOptions;
using data::LoadProgress;
using data::LoadWatch;
using data::makeDataCard;

}  // namespace lockstep::job
