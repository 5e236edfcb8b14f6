// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/config/job/job_spec.h"

namespace lockstep::ui {

/// What [data] of a job means, key by key, without the changes of training images: jobs with the
/// same text read the same samples from the same files.
[[nodiscard]] QString sourceTextOf(const config::JobSpec& job);

/// The same with those changes and with what else decides how an image is changed: seed and batch.
[[nodiscard]] QString samplesTextOf(const config::JobSpec& job);

}  // namespace lockstep::ui
