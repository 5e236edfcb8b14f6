// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/job/fold/session.h"

namespace lockstep::job {

/// A session over the journal of a run that nobody runs any more. NotFound when the folder holds
/// no journal.
[[nodiscard]] Result<std::unique_ptr<Session>> openJournalSession(
    const std::filesystem::path& runDir);

}  // namespace lockstep::job
