// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/context.h"
#include "core/wire/keys.h"
#include "core/wire/poll.h"

namespace lockstep::wire {

/// Limits of a socket. The first two bound its memory: 64 MiB a peer and direction by default.
struct SocketLimits {
    int highWaterMark = 128;                   ///< Messages queued per peer and direction.
    std::int64_t maxMessageBytes = 512 << 10;  ///< A larger message closes its connection.
    Millis handshake{5000};     ///< A peer that has not authenticated by then is cut.
    Millis silence{60000};      ///< A peer whose machine takes nothing for so long is cut.
    Millis reconnect{100};      ///< First pause before a client connects again,
    Millis reconnectMax{2000};  ///< doubled up to this.
};

/// What became of a message.
enum class Sent : std::uint8_t {
    Yes,         ///< Queued.
    WouldBlock,  ///< The peer's queue is full (or not there yet): try again later, or drop it.
    Gone,        ///< The peer is not connected (any more).
};

/// One message of a client. `routingId` answers it and names this connection only; `userId` is
/// who the authenticator says it is.
struct Incoming {
    std::string routingId;
    std::string userId;
    std::string bytes;
};

/// The side that listens: many clients, each authenticated by CURVE and the context's
/// Authenticator. Used by one thread only, from bind to destruction.
class ServerSocket final : public Pollable {
public:
    /// Listens at `endpoint`: tcp://HOST:PORT (an address, interface or name of this machine; port
    /// 0 is chosen by the system), tcp://[IPV6]:PORT, or ipc://PATH (made with mode 0600). Refuses
    /// (Internal) to listen without an Authenticator, or when the library cannot enforce it.
    /// Unavailable when the address is taken or not of this machine.
    [[nodiscard]] static Result<std::unique_ptr<ServerSocket>> bind(
        const Context& context, const std::string& endpoint, const KeyPair& keys,
        const SocketLimits& limits = {});
    ~ServerSocket() override;

    /// Where it listens, with the real port; for clients when the host is not a wildcard.
    [[nodiscard]] const std::string& endpoint() const;
    /// The real port; 0 for ipc.
    [[nodiscard]] int port() const;

    /// The next message, or nothing when there is none. Never blocks. Messages of several parts
    /// are not ours: dropped and counted.
    [[nodiscard]] Result<std::optional<Incoming>> receive();
    [[nodiscard]] std::uint64_t malformedCount() const;

    /// Never blocks. A Result fails only for defects (a wrong thread, a closed context).
    [[nodiscard]] Result<Sent> send(std::string_view routingId, std::string_view bytes);

private:
    struct State;
    explicit ServerSocket(std::unique_ptr<State> state);
    [[nodiscard]] std::array<void*, 2> pollHandles() const override;
    std::unique_ptr<State> state_;
};

enum class LinkState : std::uint8_t {
    Connecting,   ///< Not connected yet, or lost and trying again.
    Connected,    ///< Both sides have proved their keys.
    Refused,      ///< The server does not admit this key; it is not tried again.
    WrongServer,  ///< Whoever listens there failed to prove the expected key, three times in a row.
};

/// How a client's connection is.
struct LinkStatus {
    LinkState state = LinkState::Connecting;
    int handshakeFailures = 0;         ///< In a row, since the last success.
    std::uint64_t connections = 0;     ///< Successful handshakes so far.
    std::uint64_t disconnections = 0;  ///< Connections lost after a successful handshake.
    int refusals = 0;  ///< Attempts in a row, since the last success, that were turned down: the
                       ///< host answers and nobody listens there, or no way leads to it.
    std::string sentence;  ///< For people: "connected to tcp://…", "the coordinator at … refuses…".
};

/// The side that connects to one server. Connects again by itself when the connection is lost;
/// messages queued meanwhile are kept up to the high-water mark. Used by one thread only.
class ClientSocket final : public Pollable {
public:
    /// Returns at once; the connection comes about in the background (see `status`).
    /// BadInput when the endpoint or a key is malformed.
    [[nodiscard]] static Result<std::unique_ptr<ClientSocket>> connect(
        const Context& context, const std::string& endpoint, const std::string& serverPublicKey,
        const KeyPair& ownKeys, const SocketLimits& limits = {});
    ~ClientSocket() override;

    /// Never blocks. Yes: queued, also while connecting. WouldBlock: the queue is full.
    [[nodiscard]] Result<Sent> trySend(std::string_view bytes);

    /// The next message, or nothing when there is none. Never blocks. Also takes notice of
    /// connections made and lost.
    [[nodiscard]] Result<std::optional<std::string>> receive();
    [[nodiscard]] std::uint64_t malformedCount() const;

    /// As of now; reads the connection's events first.
    [[nodiscard]] const LinkStatus& status();

private:
    struct State;
    explicit ClientSocket(std::unique_ptr<State> state);
    [[nodiscard]] std::array<void*, 2> pollHandles() const override;
    std::unique_ptr<State> state_;
};

}  // namespace lockstep::wire
