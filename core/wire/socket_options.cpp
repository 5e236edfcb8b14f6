// SPDX-License-Identifier: Apache-2.0
#include "core/wire/socket_options.h"

#include <arpa/inet.h>

namespace lockstep::wire {

namespace {
bool isIpv4Address(const std::string& host) {
    in_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1;
}
}  // namespace

TcpParts tcpParts(const std::string& endpoint) {
    constexpr std::string_view kScheme = "tcp://";
    const std::size_t colon = endpoint.rfind(':');
    if (!endpoint.starts_with(kScheme) || colon < kScheme.size()) return {};
    std::string host = endpoint.substr(kScheme.size(), colon - kScheme.size());
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    return {std::move(host), endpoint.substr(colon + 1)};
}

void setCommonOptions(zmq::socket_t& socket, const std::string& endpoint,
                      const SocketLimits& limits, SocketRole role) {
    const Millis silence = role == SocketRole::Server ? limits.silence : limits.heartbeatTimeout;
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::sndhwm, limits.highWaterMark);
    socket.set(zmq::sockopt::rcvhwm, limits.highWaterMark);
    socket.set(zmq::sockopt::maxmsgsize, limits.maxMessageBytes);
    socket.set(zmq::sockopt::handshake_ivl, static_cast<int>(limits.handshake.count()));
    socket.set(zmq::sockopt::heartbeat_ivl, static_cast<int>(limits.heartbeat.count()));
    socket.set(zmq::sockopt::heartbeat_timeout, static_cast<int>(silence.count()));
    socket.set(zmq::sockopt::ipv6, !isIpv4Address(tcpParts(endpoint).host));
}

}  // namespace lockstep::wire
