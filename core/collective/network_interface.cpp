// SPDX-License-Identifier: Apache-2.0
#include "core/collective/network_interface.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>

namespace lockstep::collective {

namespace {

bool sameAddress(const sockaddr* a, const sockaddr* b) {
    if (a == nullptr || b == nullptr || a->sa_family != b->sa_family) return false;
    if (a->sa_family == AF_INET) {
        sockaddr_in first{};
        sockaddr_in second{};
        std::memcpy(&first, a, sizeof first);
        std::memcpy(&second, b, sizeof second);
        return first.sin_addr.s_addr == second.sin_addr.s_addr;
    }
    if (a->sa_family != AF_INET6) return false;
    sockaddr_in6 first{};
    sockaddr_in6 second{};
    std::memcpy(&first, a, sizeof first);
    std::memcpy(&second, b, sizeof second);
    return std::memcmp(&first.sin6_addr, &second.sin6_addr, sizeof first.sin6_addr) == 0;
}

}  // namespace

std::string interfaceOf(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
    ifaddrs* listed = nullptr;
    if (::getifaddrs(&listed) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> interfaces(listed, &::freeifaddrs);
    for (const addrinfo* address = found; address != nullptr; address = address->ai_next)
        for (const ifaddrs* one = listed; one != nullptr; one = one->ifa_next)
            if (sameAddress(one->ifa_addr, address->ai_addr)) return one->ifa_name;
    return {};
}

}  // namespace lockstep::collective
