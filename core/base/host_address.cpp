// SPDX-License-Identifier: Apache-2.0
#include "core/base/host_address.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/file.h"
#include "core/base/program_output.h"

namespace lockstep {

namespace {

constexpr std::chrono::seconds kScontrolTimeout{10};
constexpr const char* kAnyPort = "9";  // nothing is sent: a datagram socket is only connected

struct AddressListDeleter {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListDeleter>;

AddressList resolve(const std::string& host, int flags = 0) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_DGRAM;
    hints.ai_flags = flags;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), kAnyPort, &hints, &found) != 0) return nullptr;
    return AddressList(found);
}

std::string numeric(const sockaddr* address, socklen_t size) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    return text.data();
}

std::string addressBySlurm(const std::string& node) {
    const std::filesystem::path scontrol = findProgram("scontrol");
    if (scontrol.empty()) return {};
    return nodeAddressIn(outputOf(scontrol, {"show", "node", node}, kScontrolTimeout));
}

}  // namespace

std::string nodeAddressIn(std::string_view scontrolOutput) {
    constexpr std::string_view kKey = "NodeAddr=";
    const std::size_t at = scontrolOutput.find(kKey);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = scontrolOutput.substr(at + kKey.size());
    return std::string(rest.substr(0, rest.find_first_of(" \t\r\n")));
}

Result<std::string> addressOfHost(const std::string& host) {
    AddressList found = resolve(host);
    if (!found) {
        const std::string bySlurm = addressBySlurm(host);
        if (!bySlurm.empty()) found = resolve(bySlurm);
    }
    if (!found)
        return fail(ErrorCode::Unavailable,
                    fmt::format("the host '{}' is not known: its name does not resolve, and Slurm "
                                "has no node of this name",
                                host),
                    "Check the name, or name process 0 by its IP address.");
    return numeric(found->ai_addr, found->ai_addrlen);
}

std::string ownAddressToward(const std::string& numericHost) {
    std::string fallback = "127.0.0.1";
    const AddressList target = resolve(numericHost, AI_NUMERICHOST);
    if (!target) return fallback;
    const UniqueFd socket(::socket(target->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    auto* ownAddress = reinterpret_cast<sockaddr*>(&own);
    if (!socket.valid() || ::connect(socket.get(), target->ai_addr, target->ai_addrlen) != 0 ||
        ::getsockname(socket.get(), ownAddress, &size) != 0)
        return fallback;
    std::string text = numeric(ownAddress, size);
    return text.empty() ? fallback : text;
}

bool isOwnAddress(const std::string& numericHost) {
    AddressList address = resolve(numericHost, AI_NUMERICHOST);
    if (!address) return false;
    const UniqueFd socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    addrinfo& found = *address;
    if (found.ai_family == AF_INET) reinterpret_cast<sockaddr_in*>(found.ai_addr)->sin_port = 0;
    if (found.ai_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(found.ai_addr)->sin6_port = 0;
    return socket.valid() && ::bind(socket.get(), found.ai_addr, found.ai_addrlen) == 0;
}

}  // namespace lockstep
