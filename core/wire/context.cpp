// SPDX-License-Identifier: Apache-2.0
#include "core/wire/context.h"

#include "core/wire/native.h"

namespace lockstep::wire {

Result<Context> Context::make(int maxSockets) {
    try {
        auto state = std::make_shared<ContextState>();
        state->context.set(zmq::ctxopt::max_sockets, maxSockets);
        return Context(std::move(state));
    } catch (const zmq::error_t& error) {
        return failZmq("preparing the network (ZeroMQ context)", error);
    }
}

}  // namespace lockstep::wire
