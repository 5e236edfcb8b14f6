// SPDX-License-Identifier: Apache-2.0
// Private to this folder: what its files share of ZeroMQ.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <zmq.hpp>

#include "core/base/result.h"
#include "core/wire/context.h"

namespace lockstep::wire {

struct ContextState {
    zmq::context_t context;
    /// An Authenticator runs. Servers refuse to listen without one.
    std::atomic<bool> authenticated{false};
    /// Makes the names of monitors unique.
    std::atomic<std::uint64_t> nextMonitor{0};
};

/// The one domain of our servers; libzmq asks the ZAP handler only when a domain is set.
inline constexpr std::string_view kZapDomain = "lockstep";

/// Reads an error of the library that no user action explains.
[[nodiscard]] inline tl::unexpected<Error> failZmq(std::string_view doing,
                                                   const zmq::error_t& error) {
    return fail(ErrorCode::Internal, std::string(doing) + ": " + error.what());
}

}  // namespace lockstep::wire
