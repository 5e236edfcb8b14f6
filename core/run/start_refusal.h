// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::run {

/// What lies in the place of a start's ticket when there is nothing left to join: processes that
/// come later read why, and need not wait for process 0.
class StartRefusal {
public:
    /// Writes it to where the ticket was. `refusal`: error, remedy, exit status, no keys. Where it
    /// cannot be written nothing happens: who comes later ends by its own timeout.
    StartRefusal(std::filesystem::path ticketFile, const wire::StartTicket& refusal);
    ~StartRefusal() = default;  ///< Without withdraw() the file stays.
    StartRefusal(const StartRefusal&) = delete;
    StartRefusal& operator=(const StartRefusal&) = delete;

    /// Blocks until it has been there for two seconds, then removes it with the folders that were
    /// made for it.
    void withdraw();

private:
    std::filesystem::path file_;
    std::filesystem::path firstCreated_;
    Nanos written_{};
    UniqueFd lock_;
};

}  // namespace lockstep::run
