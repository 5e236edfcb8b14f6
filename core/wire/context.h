// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/base/result.h"

namespace lockstep::wire {

struct ContextState;

/// The ZeroMQ context: one per process, made in its main and handed down. Copies share it; it is
/// terminated when the last copy, socket and authenticator are gone, so the order in which they
/// are destroyed does not matter. May be used from any thread.
class Context {
public:
    /// `maxSockets` limits the sockets of this process (not its peers).
    [[nodiscard]] static Result<Context> make(int maxSockets = 4096);

    [[nodiscard]] const std::shared_ptr<ContextState>& state() const { return state_; }

private:
    explicit Context(std::shared_ptr<ContextState> state) : state_(std::move(state)) {}
    std::shared_ptr<ContextState> state_;
};

}  // namespace lockstep::wire
