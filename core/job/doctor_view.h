// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/doctor.h"
#include "core/launch/doctor/faults/examination.h"

namespace lockstep::job {

/// What is shown of an examination; of one that was broken off: `cancelled`.
[[nodiscard]] DoctorView doctorViewOf(const launch::Examination& all, bool cancelled = false);

}  // namespace lockstep::job
