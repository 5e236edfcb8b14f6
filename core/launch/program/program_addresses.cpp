// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_addresses.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/job/cluster_spec.h"

namespace lockstep::launch {

namespace {

std::string keyOf(std::uint32_t processId) {
    return fmt::format("program/address/{}", processId);
}

/// A port that was free a moment ago, held as long as the descriptor is.
struct HeldPort {
    UniqueFd socket;
    int port = 0;
};

Result<HeldPort> holdFreePort() {
    HeldPort held;
    held.socket.reset(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 any6{};
    any6.sin6_family = AF_INET6;
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    // Both families at once, where there is IPv6 at all.
    auto* address = reinterpret_cast<sockaddr*>(&any6);
    socklen_t size = sizeof any6;
    if (!held.socket.valid() || ::bind(held.socket.get(), address, size) != 0) {
        held.socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        address = reinterpret_cast<sockaddr*>(&any4);
        size = sizeof any4;
        if (!held.socket.valid() || ::bind(held.socket.get(), address, size) != 0)
            return fail(ErrorCode::Unavailable, "no free port can be found: " + errnoText());
    }
    if (::getsockname(held.socket.get(), address, &size) != 0)
        return fail(ErrorCode::Io, "no free port can be found: " + errnoText());
    held.port = ntohs(address->sa_family == AF_INET6 ? any6.sin6_port : any4.sin_port);
    return held;
}

}  // namespace

Result<ProgramAddresses> exchangeAddresses(coordination::Client& client, std::uint32_t processId,
                                           int numProcesses, config::Address own, Nanos timeout) {
    HeldPort held;
    if (own.port == 0) {
        held = TRY(holdFreePort());
        own.port = held.port;
    }
    const std::string identity = hostIdentity() + " " + hostName();
    TRY(client.set(keyOf(processId), config::toString(own) + "\n" + identity));
    ProgramAddresses all;
    for (std::uint32_t id = 0; id < static_cast<std::uint32_t>(numProcesses); ++id) {
        const auto answer = client.get(keyOf(id), timeout);
        if (!answer) return fail(answer.error());
        const std::string& text = *answer;
        const std::size_t end = std::min(text.find('\n'), text.size());
        auto address = config::parseAddress(text.substr(0, end));
        if (!address) return fail(ErrorCode::Corrupt, "an address cannot be read: " + text);
        all.addresses.push_back(std::move(*address));
        all.hosts.push_back(text.substr(end));
    }
    return all;
}

}  // namespace lockstep::launch
