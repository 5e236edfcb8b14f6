// SPDX-License-Identifier: Apache-2.0
// What the doctor asks of the network without sending anything: interfaces, names, routes.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/thread.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/wire/socket_address.h"

namespace lockstep::launch {

namespace {

constexpr unsigned kAnyPort = 9;  ///< Nothing is sent: a datagram socket is only connected.
constexpr int kLookupThreads = 32;
constexpr int kMostInterfaces = 256;

socklen_t sizeOf(const sockaddr& address) {
    return address.sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

std::uint32_t prefixOf(const sockaddr* mask) {
    if (mask == nullptr) return 0;
    std::uint32_t bits = 0;
    const auto count = [&bits](const auto& bytes) {
        for (const unsigned char byte : bytes)
            bits += static_cast<std::uint32_t>(std::popcount(byte));
    };
    if (mask->sa_family == AF_INET6) {
        sockaddr_in6 whole{};
        std::memcpy(&whole, mask, sizeof whole);
        count(whole.sin6_addr.s6_addr);
    } else {
        sockaddr_in whole{};
        std::memcpy(&whole, mask, sizeof whole);
        count(std::bit_cast<std::array<unsigned char, 4>>(whole.sin_addr.s_addr));
    }
    return bits;
}

void addInterfaces(wire::HostFacts& facts) {
    ifaddrs* listed = nullptr;
    if (::getifaddrs(&listed) != 0) return;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(listed, &::freeifaddrs);
    for (const ifaddrs* one = listed; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
        const int family = one->ifa_addr->sa_family;
        if ((family != AF_INET && family != AF_INET6) || facts.interfaces_size() >= kMostInterfaces)
            continue;
        wire::NetworkInterface& entry = *facts.add_interfaces();
        entry.set_name(one->ifa_name);
        entry.set_address(wire::numericAddress(one->ifa_addr, sizeOf(*one->ifa_addr)));
        entry.set_prefix(prefixOf(one->ifa_netmask));
        entry.set_loopback((one->ifa_flags & IFF_LOOPBACK) != 0);
    }
}

/// The gateway of the longest matching route of /proc/net/route; empty: directly, or IPv6.
std::string gatewayTo(const sockaddr& target) {
    if (target.sa_family != AF_INET) return {};
    sockaddr_in wanted{};
    std::memcpy(&wanted, &target, sizeof wanted);
    std::ifstream table("/proc/net/route");
    std::string line;
    std::getline(table, line);  // the heading
    std::uint32_t bestMask = 0;
    std::uint32_t best = 0;
    bool found = false;
    while (std::getline(table, line)) {
        std::istringstream words(line);
        std::string interface;
        std::string skipped;
        std::uint32_t destination = 0;
        std::uint32_t gateway = 0;
        std::uint32_t mask = 0;
        words >> interface >> std::hex >> destination >> gateway;
        words >> skipped >> skipped >> skipped >> skipped >> mask;
        if (!words || (wanted.sin_addr.s_addr & mask) != destination) continue;
        if (found && ntohl(mask) < ntohl(bestMask)) continue;
        found = true;
        bestMask = mask;
        best = gateway;
    }
    if (best == 0) return {};
    in_addr address{};
    address.s_addr = best;
    char text[INET_ADDRSTRLEN] = {};
    return ::inet_ntop(AF_INET, &address, text, sizeof text) != nullptr ? text : "";
}

std::string interfaceWith(const std::string& address, const wire::HostFacts& facts) {
    for (const wire::NetworkInterface& one : facts.interfaces())
        if (one.address() == address) return one.name();
    return {};
}

/// The kernel chooses route and source address when a datagram socket is connected.
void lookUp(const wire::HostFacts& facts, wire::NameLookup& lookup) {
    const auto found = wire::resolveBriefly(lookup.name(), kAnyPort);
    if (!found) {
        lookup.set_error(found.error().message);
        return;
    }
    const addrinfo& first = **found;
    lookup.set_address(wire::numericAddress(first.ai_addr, first.ai_addrlen));
    const UniqueFd socket(::socket(first.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket.valid() || ::connect(socket.get(), first.ai_addr, first.ai_addrlen) != 0) {
        lookup.set_error(errnoText());
        return;
    }
    lookup.set_source(wire::ownNumericAddress(socket.get()));
    lookup.set_interface(interfaceWith(lookup.source(), facts));
    lookup.set_gateway(gatewayTo(*first.ai_addr));
}

}  // namespace

void addNetworkFacts(const wire::Examine& what, wire::HostFacts& facts) {
    addInterfaces(facts);
    std::vector<wire::NameLookup*> lookups;
    for (const std::string& name : what.names()) {
        if (facts.lookups_size() >= kMostNames) break;
        lookups.push_back(facts.add_lookups());
        lookups.back()->set_name(name);
    }
    // In parallel: each name that no server knows may take seconds.
    std::vector<std::jthread> threads;
    for (int first = 0; first < kLookupThreads; ++first)
        threads.push_back(startThread("doctor-lookup", [&, first](const std::stop_token&) {
            for (std::size_t i = static_cast<std::size_t>(first); i < lookups.size();
                 i += kLookupThreads)
                lookUp(facts, *lookups[i]);
        }));
}

}  // namespace lockstep::launch
