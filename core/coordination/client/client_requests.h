// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// Questions to the coordinator that wait for their answers. A question or its answer may be lost
/// with a connection, so it is asked again until it is answered. Not thread-safe: guarded by its
/// owner.
class ClientRequests {
public:
    /// Gives the question the number under which its answer comes, and waits for it.
    [[nodiscard]] std::uint64_t add(wire::ToCoordinator question);
    /// Asks what is to be asked now. `send` says whether the question is under way.
    void askDue(Nanos now, const std::function<bool(const wire::ToCoordinator&)>& send);

    /// Takes a Value or BarrierDone: false when nobody waits for it any more.
    [[nodiscard]] bool take(const wire::FromCoordinator& answer);
    [[nodiscard]] bool answered(std::uint64_t number) const;
    /// Waits no longer. The answer, or what error it tells; nothing if none has come.
    [[nodiscard]] std::optional<Result<std::string>> finish(std::uint64_t number);

private:
    struct Request {
        wire::ToCoordinator question;
        Nanos askAt{};
        std::optional<Result<std::string>> answer;
    };
    std::map<std::uint64_t, Request> requests_;
    std::uint64_t lastNumber_ = 0;
};

}  // namespace lockstep::coordination
