// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/config/job/job_spec.h"
#include "core/coordination/state/process_key.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::run {

/// What a process of the ticket's run starts with, as far as its ticket and its job (which the
/// ticket holds as text) say it; nothing where the ticket is not for it.
[[nodiscard]] std::optional<wire::WorkerConfig> workerConfigOf(
    const wire::StartTicket& ticket, const config::JobSpec& job,
    const coordination::ProcessKey& process);

}  // namespace lockstep::run
