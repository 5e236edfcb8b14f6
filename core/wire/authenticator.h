// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/wire/context.h"

namespace lockstep::wire {

/// Decides who may connect to the ServerSockets of a context: the ZAP handler of ZeroMQ, on a
/// thread of its own ("zap"). Only keys that were allowed pass; everyone else gets 400. At most
/// one per context, and it must be started before any bind. When it is gone, nobody gets in.
/// `allow` and `revoke` may be called from any thread.
class Authenticator {
public:
    /// Unavailable when the context has one already.
    [[nodiscard]] static Result<std::unique_ptr<Authenticator>> start(const Context& context);
    ~Authenticator();
    Authenticator(const Authenticator&) = delete;
    Authenticator& operator=(const Authenticator&) = delete;

    /// Admits the holder of `publicKey` (Z85) as `userId` (1 to 200 bytes): every message from it
    /// carries that id (Incoming::userId), whatever it claims itself. Replaces the key's former id.
    /// BadInput when `publicKey` is not a key or `userId` has a wrong length.
    [[nodiscard]] Result<void> allow(const std::string& publicKey, const std::string& userId);

    /// Refuses all keys of `userId` from now on. Connections that stand stay until they close:
    /// their messages must be refused by what they claim (generation, incarnation).
    void revoke(const std::string& userId);

    /// Connections refused so far, for the coordinator's log.
    [[nodiscard]] std::uint64_t refusedCount() const;

private:
    struct State;
    explicit Authenticator(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lockstep::wire
