// SPDX-License-Identifier: Apache-2.0
// Private to this folder.
#pragma once

#include <string>

#include "core/wire/native.h"
#include "core/wire/socket.h"

namespace lockstep::wire {

/// Sets what both kinds of sockets share, before bind or connect: libzmq 4.3.4 may crash when a
/// high-water mark is changed later. Throws zmq::error_t.
void setCommonOptions(zmq::socket_t& socket, const std::string& endpoint,
                      const SocketLimits& limits);

/// The native handle to poll. cppzmq gives it for mutable sockets only.
[[nodiscard]] inline void* pollHandle(const zmq::socket_t& socket) {
    return const_cast<zmq::socket_t&>(socket).handle();
}

/// HOST and PORT of tcp://HOST:PORT (an IPv6 host without its brackets); both empty for other
/// transports and malformed endpoints.
struct TcpParts {
    std::string host;
    std::string port;
};
[[nodiscard]] TcpParts tcpParts(const std::string& endpoint);

}  // namespace lockstep::wire
