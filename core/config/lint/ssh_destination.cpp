// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/ssh_destination.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/text.h"

namespace lockstep::config {

namespace {

constexpr std::size_t kLongestHost = 253;  // of a name in the DNS
constexpr std::size_t kLongestUser = 64;
constexpr std::size_t kLongestText = 512;
constexpr int kLastPort = 65535;

bool isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isOf(std::string_view text, std::string_view signs) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return isLetterOrDigit(c) || signs.find(c) != std::string_view::npos;
    });
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view why) {
    return fail(ErrorCode::BadInput,
                fmt::format("the ssh destination '{}' {}", sanitizeLine(text, 80), why),
                "Write it as host, user@host, user@host:port, [address]:port, or by a name of your "
                "ssh configuration.");
}

/// An address of IPv6, with or without the name of an interface ("fe80::1%eth0").
bool isIpv6(const std::string& host) {
    const std::size_t zone = host.find('%');
    in6_addr address{};
    return ::inet_pton(AF_INET6, host.substr(0, zone).c_str(), &address) == 1 &&
           (zone == std::string::npos ||
            (zone + 1 < host.size() && isOf(std::string_view(host).substr(zone + 1), "._-")));
}

std::optional<int> portIn(std::string_view text) {
    int port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > kLastPort)
        return std::nullopt;
    return port;
}

/// Four numbers between dots are an address of IPv4, or a mistyped one.
bool looksLikeIpv4(const std::string& host) {
    return std::count(host.begin(), host.end(), '.') == 3 &&
           std::all_of(host.begin(), host.end(),
                       [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

bool isIpv4(const std::string& host) {
    in_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1;
}

/// What is wrong with the name of a host or a user; empty: nothing.
std::string_view hostProblem(const std::string& host) {
    if (host.empty()) return "names no host";
    if (host.size() > kLongestHost) return "has a host name of more than 253 characters";
    if (host.front() == '-') return "has a host name that begins with '-'";
    if (host.find(':') != std::string::npos || host.find('%') != std::string::npos)
        return isIpv6(host) ? "" : "is not an address of IPv6";
    if (!isOf(host, "._-"))
        return "has a character in its host name that is none of: letters, digits, '.', '_', '-'";
    if (host.front() == '.' || host.find("..") != std::string::npos)
        return "has an empty part between the dots of its host name";
    if (looksLikeIpv4(host) && !isIpv4(host)) return "is not an address of IPv4";
    return "";
}

std::string_view userProblem(const std::string& user) {
    if (user.empty() || user.front() == '@') return "names no user before its '@'";
    if (user.size() > kLongestUser) return "has a user name of more than 64 characters";
    if (user.front() == '-') return "has a user name that begins with '-'";
    if (!isOf(user, "._-@+"))
        return "has a character in its user name that is none of: letters, digits, '.', '_', '-', "
               "'+', '@'";
    return "";
}

/// The host and the text of the port, from what is behind the user.
struct Place {
    std::string host;
    std::optional<std::string> port;
};

std::optional<Place> placeIn(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        Place place{std::string(text.substr(1, end - 1)), std::nullopt};
        const std::string_view rest = text.substr(end + 1);
        if (place.host.find(':') == std::string::npos) return std::nullopt;
        if (rest.empty()) return place;
        if (rest.front() != ':') return std::nullopt;
        place.port = std::string(rest.substr(1));
        return place;
    }
    // One colon is before a port; several are an address.
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos)
        return Place{std::string(text), std::nullopt};
    return Place{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace

std::string SshDestination::words() const {
    const bool needsBrackets = port != 0 && host.find(':') != std::string::npos;
    return fmt::format("{}{}{}{}", user.empty() ? "" : user + "@",
                       needsBrackets ? "[" + host + "]" : host, port == 0 ? "" : ":",
                       port == 0 ? "" : std::to_string(port));
}

Result<SshDestination> parseSshDestination(std::string_view text) {
    constexpr std::string_view kScheme = "ssh://";
    if (text.empty())
        return fail(ErrorCode::BadInput, "an ssh destination is empty", "Write the host's name.");
    if (text.size() > kLongestText)
        return refuse(text.substr(0, 40), "has more than 512 characters");
    std::string_view rest = text;
    if (rest.starts_with(kScheme)) {
        rest.remove_prefix(kScheme.size());
        if (rest.ends_with('/')) rest.remove_suffix(1);
    }
    SshDestination destination;
    // As ssh does: a user name may hold '@' (of a domain), a host name may not.
    if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
        destination.user = std::string(rest.substr(0, at));
        if (const auto problem = userProblem(destination.user); !problem.empty())
            return refuse(text, problem);
        rest.remove_prefix(at + 1);
    }
    auto place = placeIn(rest);
    if (!place) return refuse(text, "has brackets that are not around an address of IPv6");
    destination.host = std::move(place->host);
    if (const auto problem = hostProblem(destination.host); !problem.empty())
        return refuse(text, problem);
    if (place->port) {
        const auto port = portIn(*place->port);
        if (!port) return refuse(text, "has a port that is not a number from 1 to 65535");
        destination.port = *port;
    }
    return destination;
}

}  // namespace lockstep::config
