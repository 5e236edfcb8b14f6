// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::coordination {

/// The ticket of a start: the file through which process 0 hands its job's keys and address to
/// the processes that a scheduler or the user starts elsewhere. Only the user can read it; it lies
/// on a file system that all hosts share.

/// Creates `file` (mode 0600, never through a link, never over another one) in a folder that
/// belongs to this user and that nobody else may write to; a missing folder is made. The ticket of
/// an earlier start whose process 0 has ended is replaced; that of a living one is Unavailable.
/// Returns the lock that tells the two apart: keep it while the start lasts, then remove the file.
[[nodiscard]] Result<UniqueFd> writeTicket(const std::filesystem::path& file,
                                           const wire::StartTicket& ticket);

/// Removes the tickets in a folder of this host whose process 0 was killed. Young ones stay.
void sweepTickets(const std::filesystem::path& folder);

/// Whether who wrote `file` still holds the lock that writeTicket has returned; true, too, where
/// the file system cannot tell. Takes no lock itself.
[[nodiscard]] bool isHeld(const std::filesystem::path& file);

/// The ticket, or nothing while it is not there or not complete. Unavailable when it is not a file
/// of this user that nobody else can read: then it is not process 0 who left it.
[[nodiscard]] Result<std::optional<wire::StartTicket>> readTicket(
    const std::filesystem::path& file);

}  // namespace lockstep::coordination
