// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "core/job/fold/session.h"

namespace lockstep::app {

/// The session of a run that is followed; else the status to end with, said to the user: that of
/// the error, or 3 where they do not agree to follow a run that they have not launched.
/// `name`: the run's folder, or its id.
[[nodiscard]] tl::expected<std::unique_ptr<job::Session>, int> attachToRun(const std::string& name);

}  // namespace lockstep::app
