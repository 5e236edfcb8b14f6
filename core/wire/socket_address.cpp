// SPDX-License-Identifier: Apache-2.0
#include "core/wire/socket_address.h"

#include <resolv.h>
#include <sys/socket.h>

#include <array>

namespace lockstep::wire {

namespace {

/// By default glibc asks every name server twice for five seconds each.
void doNotInsist() {
    if (res_init() != 0) return;
    _res.retrans = 2;  // seconds
    _res.retry = 1;
}

}  // namespace

Result<AddressList> resolveBriefly(const std::string& host, unsigned port) {
    thread_local const bool told = (doNotInsist(), true);
    static_cast<void>(told);
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
    if (status != 0) return fail(ErrorCode::NotFound, ::gai_strerror(status));
    return AddressList(found);
}

std::string numericAddress(const sockaddr* address, socklen_t size) {
    std::array<char, NI_MAXHOST> text{};
    if (address == nullptr ||
        ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    return text.data();
}

std::string ownNumericAddress(int socket) {
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    auto* address = reinterpret_cast<sockaddr*>(&own);
    return ::getsockname(socket, address, &size) == 0 ? numericAddress(address, size)
                                                      : std::string();
}

}  // namespace lockstep::wire
