// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/base/clock.h"
#include "core/wire/socket.h"

namespace lockstep::coordination {

/// Whether the coordinator still lives, as a process sees that is welcome there: it is lost when it
/// is silent for too long, or when nobody listens any more where it did. No clock, no thread.
class CoordinatorWatch {
public:
    struct Limits {
        Nanos heartbeatInterval{};
        Nanos heartbeatTimeout{};
    };
    CoordinatorWatch(std::string endpoint, Limits limits)
        : endpoint_(std::move(endpoint)), limits_(limits) {}

    void begin(Nanos now) { lastTurn_ = lastHeard_ = now; }
    /// To be called in every turn of the thread that listens.
    void noteTurn(Nanos now);
    void heard(Nanos now) { lastHeard_ = now; }
    /// Why the coordinator is lost; nothing while it is not.
    [[nodiscard]] std::optional<std::string> judge(const wire::LinkStatus& link, Nanos now) const;

private:
    std::string endpoint_;
    Limits limits_;
    Nanos lastTurn_{};
    Nanos lastHeard_{};
};

}  // namespace lockstep::coordination
