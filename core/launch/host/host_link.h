// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// A connection to the service of one host (`lockstep-worker --host`), however it is reached.
/// Used by one thread. Destruction ends the connection, and with it what is tied to it.
class HostLink {
public:
    virtual ~HostLink() = default;

    /// As the user names the host; for sentences.
    [[nodiscard]] virtual const std::string& host() const = 0;
    /// Sends one message. PeerLost when the connection has ended, with its reason in words (what
    /// ssh said last); Timeout: it has not been taken. What was begun goes out with later calls.
    [[nodiscard]] virtual Result<void> send(const wire::ToHost& message, Nanos timeout) = 0;
    /// The next message; nullopt when none came within `timeout`. PeerLost as `send`.
    [[nodiscard]] virtual Result<std::optional<wire::FromHost>> receive(Nanos timeout) = 0;
    /// Readable when `receive` has something to take or to tell.
    [[nodiscard]] virtual int fd() const = 0;
    /// A unix socket on this machine (in a 0700 folder, below 100 characters) that leads to
    /// `socket` of the host over this same connection, until the link is destroyed. Unavailable
    /// where the host forbids it: the relay of the service is the way then.
    [[nodiscard]] virtual Result<std::string> forwardSocket(const std::string& socket) = 0;
};

/// Opens a link; blocks within its own timeouts, so it is called on a thread that may wait.
/// `say`: progress in words ("copying Lockstep to host3, 4 of 11 MB"); called on that thread.
using OpenLink = std::function<Result<std::unique_ptr<HostLink>>(
    const std::string& host, const std::function<void(const std::string&)>& say)>;

}  // namespace lockstep::launch
