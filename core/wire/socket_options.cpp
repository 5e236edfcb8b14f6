// SPDX-License-Identifier: Apache-2.0
#include "core/wire/socket_options.h"

#include <arpa/inet.h>

#include <algorithm>

namespace lockstep::wire {

namespace {
bool isIpv4Address(const std::string& host) {
    in_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1;
}

/// The kernel finds out whether a peer's machine is there, and bears one that takes nothing for
/// `silence`. Not libzmq's heartbeats (4.3.4, 4.3.5): a full receive queue stops the reading, a
/// connection that breaks meanwhile is marked as broken, and the next heartbeat on it aborts the
/// process; and a peer that cannot read does not answer them, is cut far sooner, and what is on its
/// way is lost. Whether a peer's program is well is asked a level above.
void setPeerTimeout(zmq::socket_t& socket, Millis silence) {
    constexpr int kProbes = 9;
    const Seconds idle = std::max<Seconds>(silence / 4.0, Seconds(1));  // 0 is refused
    const Seconds interval = std::max<Seconds>((silence - idle) / kProbes, Seconds(1));
    socket.set(zmq::sockopt::tcp_keepalive, 1);
    socket.set(zmq::sockopt::tcp_keepalive_idle, static_cast<int>(idle.count()));
    socket.set(zmq::sockopt::tcp_keepalive_intvl, static_cast<int>(interval.count()));
    socket.set(zmq::sockopt::tcp_keepalive_cnt, kProbes);
    socket.set(zmq::sockopt::tcp_maxrt, static_cast<int>(silence.count()));
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
                      const SocketLimits& limits) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::sndhwm, limits.highWaterMark);
    socket.set(zmq::sockopt::rcvhwm, limits.highWaterMark);
    socket.set(zmq::sockopt::maxmsgsize, limits.maxMessageBytes);
    socket.set(zmq::sockopt::handshake_ivl, static_cast<int>(limits.handshake.count()));
    setPeerTimeout(socket, limits.silence);
    socket.set(zmq::sockopt::ipv6, !isIpv4Address(tcpParts(endpoint).host));
}

}  // namespace lockstep::wire
