// SPDX-License-Identifier: Apache-2.0
// Helpers of the socket tests: a server with its authenticator, and waiting with a deadline.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/wire/authenticator.h"
#include "core/wire/socket.h"

namespace lockstep::wire::test {

/// A coordinator's side of a connection; clients are made with `client`.
struct Server {
    Context context;
    KeyPair keys;
    std::unique_ptr<Authenticator> authenticator;
    std::unique_ptr<ServerSocket> socket;

    static Server make(const std::string& endpoint = "tcp://127.0.0.1:0",
                       const SocketLimits& limits = {}) {
        Context context = Context::make().value();
        KeyPair keys = newKeyPair().value();
        auto authenticator = Authenticator::start(context).value();
        auto socket = ServerSocket::bind(context, endpoint, keys, limits).value();
        return {std::move(context), std::move(keys), std::move(authenticator), std::move(socket)};
    }
    [[nodiscard]] std::unique_ptr<ClientSocket> client(const KeyPair& own,
                                                       const SocketLimits& limits = {}) const {
        return ClientSocket::connect(context, socket->endpoint(), keys.publicKey, own, limits)
            .value();
    }
    [[nodiscard]] KeyPair admitted(const std::string& userId) const {
        KeyPair own = newKeyPair().value();
        LS_CHECK(authenticator->allow(own.publicKey, userId), "a fresh key is admitted");
        return own;
    }
};

/// Looks at `condition` whenever one of `sockets` may have something, for at most `limit`.
inline bool waitUntil(const std::vector<Pollable*>& sockets, const std::function<bool()>& condition,
                      Nanos limit = std::chrono::seconds(10)) {
    const Nanos deadline = SteadyClock::read() + limit;
    while (!condition()) {
        if (SteadyClock::read() > deadline) return false;
        if (!waitReadable(sockets, nullptr, Millis(20))) return false;
    }
    return true;
}

/// The next message of the server within `limit`.
inline std::optional<Incoming> receiveWithin(ServerSocket& server,
                                             Nanos limit = std::chrono::seconds(10)) {
    std::optional<Incoming> incoming;
    waitUntil(
        {&server},
        [&] {
            incoming = server.receive().value();
            return incoming.has_value();
        },
        limit);
    return incoming;
}

inline std::optional<std::string> receiveWithin(ClientSocket& client,
                                                Nanos limit = std::chrono::seconds(10)) {
    std::optional<std::string> bytes;
    waitUntil(
        {&client},
        [&] {
            bytes = client.receive().value();
            return bytes.has_value();
        },
        limit);
    return bytes;
}

}  // namespace lockstep::wire::test
