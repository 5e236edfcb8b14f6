// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/job_argument.h"

namespace lockstep::app {

/// Shows what launching this job runs and reaches, on standard error, unless this user has launched
/// the file like this before. On a terminal it asks; elsewhere the command itself is the consent.
/// False: the answer was no.
[[nodiscard]] bool consentToLaunch(const std::string& jobFile, const ResolvedJob& job);

}  // namespace lockstep::app
