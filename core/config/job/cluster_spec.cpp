// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/cluster_spec.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/text.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

constexpr int kMaxPort = 65535;
constexpr std::size_t kMaxHostLength = 253;  // RFC 1035's limit of a domain name

tl::unexpected<Error> badAddress(std::string_view text, std::string_view reason) {
    return fail(
        ErrorCode::BadInput,
        fmt::format("\"{}\" is not an address: {}", sanitizeLine(text, 80), reason),
        "Write host:port, for example 10.0.0.1:1234, or [fe80::1]:1234 for IPv6; port 0 lets "
        "the system choose one at launch.");
}

/// Why the text cannot be a host, or an empty string.
std::string hostProblem(std::string_view host) {
    if (host.empty()) return "the host is missing";
    if (host.size() > kMaxHostLength) return "the host is longer than 253 characters";
    for (const char c : host)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-' && c != '_')
            return fmt::format("\"{}\" cannot be in a host name", sanitizeLine({&c, 1}));
    if (host.front() == '-' || host.front() == '.')
        return "a host name starts with a letter or digit";
    if (host.find_first_not_of("0123456789.") == std::string_view::npos) {
        in_addr parsed{};
        if (inet_pton(AF_INET, std::string(host).c_str(), &parsed) != 1)
            return "four numbers from 0 to 255 make an IPv4 address";
    }
    return {};
}

/// Why the text between brackets is not an IPv6 address, or an empty string.
std::string ipv6Problem(std::string_view host) {
    const std::string_view withoutZone = host.substr(0, host.find('%'));
    in6_addr parsed{};
    if (inet_pton(AF_INET6, std::string(withoutZone).c_str(), &parsed) == 1) {
        const std::string_view zone = host.substr(withoutZone.size());
        const bool plain = std::all_of(zone.begin(), zone.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '%' || c == '.' || c == '-' || c == '_';
        });
        if (plain && zone.size() != 1) return {};
    }
    return "what is between the brackets is not an IPv6 address";
}

struct HostAndPort {
    std::string_view host;
    std::string_view port;
    bool bracketed = false;
};

/// Splits at the colon that separates the port; the port is empty when there is none.
HostAndPort split(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) return {text, {}, false};
        const std::string_view rest = text.substr(close + 1);
        return {text.substr(1, close - 1), rest.starts_with(':') ? rest.substr(1) : "", true};
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return {text, {}, false};
    return {text.substr(0, colon), text.substr(colon + 1), false};
}

}  // namespace

Result<Address> parseAddress(std::string_view text) {
    const std::string_view given = trimmed(text);
    if (given.empty()) return badAddress(text, "it is empty");
    const HostAndPort parts = split(given);
    if (!parts.bracketed && parts.host.find(':') != std::string_view::npos)
        return badAddress(given, "an IPv6 address needs brackets around it");
    if (const std::string problem =
            parts.bracketed ? ipv6Problem(parts.host) : hostProblem(parts.host);
        !problem.empty())
        return badAddress(given, problem);
    if (parts.port.empty()) return badAddress(given, "the port is missing");

    int port = 0;
    const char* end = parts.port.data() + parts.port.size();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given, too.
    const auto [stop, status] = std::from_chars(parts.port.data(), end, port);
    if (status != std::errc() || stop != end || port < 0 || port > kMaxPort)
        return badAddress(given, fmt::format("the port \"{}\" is not a number from 0 to {}",
                                             sanitizeLine(parts.port, 40), kMaxPort));
    return Address{std::string(parts.host), port};
}

Result<std::vector<Address>> parseAddresses(std::string_view text) {
    std::vector<Address> addresses;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        auto address = parseAddress(text.substr(begin, end - begin));
        if (!address) return fail(std::move(address).error());
        addresses.push_back(std::move(*address));
        begin = end + 1;
    }
    return addresses;
}

std::string toString(const Address& address) {
    const bool ipv6 = address.host.find(':') != std::string::npos;
    return ipv6 ? fmt::format("[{}]:{}", address.host, address.port)
                : fmt::format("{}:{}", address.host, address.port);
}

std::string toString(const std::vector<Address>& addresses) {
    std::string text;
    for (const Address& address : addresses) {
        if (!text.empty()) text += ',';
        text += toString(address);
    }
    return text;
}

bool isLoopback(std::string_view host) {
    if (host == "localhost" || host == "::1") return true;
    in_addr parsed{};
    return inet_pton(AF_INET, std::string(host).c_str(), &parsed) == 1 &&
           (ntohl(parsed.s_addr) >> 24) == 127;
}

std::vector<std::string> processHosts(const JobSpec& spec) {
    const auto& addresses = spec.cluster.jobAddresses;
    const auto count = static_cast<std::size_t>(std::max(spec.cluster.numProcesses, 0));
    std::vector<std::string> hosts;
    if (addresses.size() == count) {
        for (const Address& address : addresses)
            hosts.push_back(address.host);
    } else if (spec.launch.hosts.size() == count || spec.launch.hosts.size() == count + 1) {
        hosts.assign(spec.launch.hosts.begin(),
                     spec.launch.hosts.begin() + static_cast<std::ptrdiff_t>(count));
    } else if (spec.launch.method == LaunchMethod::Local && addresses.size() == 1) {
        hosts.assign(count, addresses.front().host);
    } else if (addresses.size() == 1) {
        hosts.push_back(addresses.front().host);
    }
    return hosts;
}

JobSpec withLocalProcesses(JobSpec spec, int processes) {
    spec.cluster.numProcesses = std::max(processes, 1);
    spec.cluster.jobAddresses.assign(static_cast<std::size_t>(spec.cluster.numProcesses),
                                     Address{"127.0.0.1", 0});
    spec.cluster.evaluatorAddress.reset();
    spec.launch.method = LaunchMethod::Local;
    spec.launch.hosts.clear();
    spec.launch.spares.clear();
    return spec;
}

}  // namespace lockstep::config
