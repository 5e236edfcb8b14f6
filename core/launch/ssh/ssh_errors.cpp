// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ssh_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/base/text.h"

namespace lockstep::launch {

namespace {

/// One of ssh's own messages, by a part of it, and what it means. In the sentences, {host} is the
/// host and {line} ssh's own line. The first rule that a line matches counts: causes come before
/// their consequences.
struct Rule {
    std::string_view needle;
    std::string_view sentence;
    std::string_view remedy;
};

constexpr std::string_view kUnreachable =
    "Check that the host is up and that its sshd listens "
    "there: ssh {host} true";

constexpr std::array kRules{
    Rule{"Bad owner or permissions on", "ssh refuses its configuration: {line}",
         "Let the file belong to you, writable by nobody else: chmod 600 FILE"},
    Rule{"Can't open user config file", "ssh cannot read the configuration file: {line}",
         "Correct launch.ssh_config."},
    Rule{"Bad configuration option", "ssh does not understand its configuration: {line}",
         "Correct that line of the configuration file."},
    Rule{"bad configuration options", "ssh does not understand its configuration: {line}",
         "Correct the configuration file."},
    Rule{"Could not resolve hostname", "the name of {host} does not resolve: {line}",
         "Check the name, or give it an address in ~/.ssh/config (HostName) or /etc/hosts."},
    Rule{"UNPROTECTED PRIVATE KEY FILE", "ssh ignores a private key that other users can read",
         "chmod 600 the key file that `ssh {host} true` names."},
    Rule{"Too many authentication failures",
         "{host} ended the login after too many keys that it does not know",
         "Name the right key in ~/.ssh/config: IdentityFile and IdentitiesOnly yes."},
    Rule{"administratively prohibited",
         "the jump host on the way to {host} does not let connections through: {line}",
         "Its sshd needs AllowTcpForwarding yes."},
    Rule{"open failed: connect failed", "the jump host cannot reach {host}: {line}",
         "Check the name and the port as they are seen from the jump host."},
    Rule{"Connection refused", "{host} refuses connections: {line}", kUnreachable},
    Rule{"No route to host", "there is no way to {host}: {line}", kUnreachable},
    Rule{"Network is unreachable", "there is no way to {host}: {line}", kUnreachable},
    Rule{"timed out during banner exchange",
         "something answers for {host} that does not speak ssh in time: {line}", kUnreachable},
    Rule{"Connection timed out", "{host} does not answer: {line}", kUnreachable},
    Rule{"Operation timed out", "{host} does not answer: {line}", kUnreachable},
    Rule{"Unable to negotiate", "{host} and this machine's ssh have no method in common: {line}",
         "Update the older of the two, or allow the method in ~/.ssh/config."},
    Rule{"not responding", "the connection to {host} was lost: it has not answered for 15 s", ""},
    Rule{"kex_exchange_identification",
         "{host} took the connection and ended it before the login: {line}",
         "Its sshd may be busy (MaxStartups) or refuse this machine's address; try again."},
    Rule{"closed by remote host", "{host} ended the connection", ""},
    Rule{"Connection reset by", "the connection to {host} was cut: {line}", ""},
    Rule{"Broken pipe", "the connection to {host} was cut", ""},
    Rule{"Connection closed by", "{host} ended the connection: {line}", ""},
};

std::string filled(std::string_view text, const std::string& host, const std::string& line) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        if (text.substr(at).starts_with("{host}")) {
            result += host;
            at += 6;
        } else if (text.substr(at).starts_with("{line}")) {
            result += line;
            at += 6;
        } else {
            result += text[at++];
        }
    }
    return result;
}

const std::string* lineWith(const SshEnd& end, std::string_view needle) {
    const auto found = std::find_if(end.words.begin(), end.words.end(), [&](const auto& line) {
        return line.find(needle) != std::string::npos;
    });
    return found == end.words.end() ? nullptr : &*found;
}

/// What is between two pieces of text in a line; empty when they are not there.
std::string between(const std::string& line, std::string_view before, std::string_view after) {
    const std::size_t from = line.find(before);
    if (from == std::string::npos) return {};
    const std::size_t start = from + before.size();
    return line.substr(start, std::min(line.find(after, start), line.size()) - start);
}

/// The key that a host shows is another than the one that is known: always a refusal.
std::optional<Error> changedKey(const SshEnd& end) {
    if (lineWith(end, "HOST IDENTIFICATION HAS CHANGED") == nullptr) return std::nullopt;
    std::string place = "known_hosts";
    if (const auto* line = lineWith(end, "Offending ")) place = between(*line, " key in ", "\r");
    std::string shown;
    if (const auto* line = lineWith(end, "SHA256:"))
        shown = " (it shows " + between(*line + " ", "SHA", ". ").insert(0, "SHA") + ")";
    std::string file = place.substr(0, place.rfind(':'));
    // As ssh knows the host; on the way over a jump host it may be that one.
    std::string name = end.host;
    if (const auto* line = lineWith(end, "Host key for "))
        name = between(*line, "Host key for ", " has changed");
    // ssh prints the host's greeting, too: such a name could end the quotes of a command.
    if ((name + file).find('\'') != std::string::npos) {
        name = end.host;
        file = "known_hosts";
    }
    const std::string whose = name == end.host ? name : fmt::format("{} ({})", end.host, name);
    return Error{ErrorCode::Unavailable,
                 fmt::format("the host key of {} is not the one that is known from earlier{}: "
                             "somebody may be listening in, or the host was installed anew; the "
                             "known key is {}",
                             whose, shown, place),
                 fmt::format("Ask the host's administrator for its fingerprint. If the new key is "
                             "right, forget the old one: ssh-keygen -f '{}' -R '{}'",
                             file, name)};
}

std::optional<Error> unknownKey(const SshEnd& end) {
    const auto* line = lineWith(end, "host key is known for");
    if (line == nullptr && lineWith(end, "Host key verification failed") == nullptr)
        return std::nullopt;
    if (end.couldAsk)
        return Error{ErrorCode::Unavailable, "the host key of " + end.host + " was not accepted",
                     ""};
    const std::string name = line == nullptr ? end.host : between(*line, "known for ", " and you");
    return Error{
        ErrorCode::Unavailable,
        fmt::format("the host key of {} is not known here, and nobody can be asked", name),
        fmt::format("Log in once by hand and compare the fingerprint: ssh {} true", end.host)};
}

/// Who refused: "me@gate: Permission denied" may be about the jump host.
std::string refuserOf(const SshEnd& end, const std::string& who) {
    const std::string name = who.substr(who.rfind('@') + 1);
    const std::string jump = end.jump.substr(end.jump.rfind('@') + 1);
    return !jump.empty() && jump.substr(0, jump.find(':')) == name ? end.jump : end.host;
}

std::optional<Error> permissionDenied(const SshEnd& end) {
    const auto* line = lineWith(end, "Permission denied (");
    if (line == nullptr) return std::nullopt;
    const std::string who = line->substr(0, line->find(':'));
    const std::string methods = between(*line, "denied (", ")");
    const std::string refuser = refuserOf(end, who);
    if (!end.lockedKeys.empty())
        return Error{ErrorCode::Unavailable,
                     fmt::format("{} does not let {} in; the key {} needs its passphrase, {}",
                                 refuser, who, end.lockedKeys.front(),
                                 end.couldAsk ? "which was not given or is another"
                                              : "and nobody can be asked"),
                     "Give it to the agent first: ssh-add " + end.lockedKeys.front()};
    return Error{
        ErrorCode::Unavailable,
        fmt::format("{} does not let {} in: none of this user's keys is accepted (it takes {})",
                    refuser, who, methods),
        fmt::format("Install a key there: ssh-copy-id {}", refuser)};
}

/// What a program of ours said last, as they all say it: "error: sentence", then indented lines
/// of what to do.
std::optional<Error> programsError(const SshEnd& end) {
    constexpr std::string_view kMark = "error: ";
    const auto said = std::find_if(end.words.rbegin(), end.words.rend(),
                                   [&](const auto& line) { return line.starts_with(kMark); });
    if (said == end.words.rend() || !end.wasOpen) return std::nullopt;
    std::string remedy;
    for (auto line = said.base(); line != end.words.end() && line->starts_with("  "); ++line)
        remedy += (remedy.empty() ? "" : "\n") + line->substr(2);
    return Error{
        ErrorCode::PeerLost,
        fmt::format("the service on {} has ended: {}", end.host, said->substr(kMark.size())),
        remedy};
}

std::string lastWords(const SshEnd& end) {
    return end.words.empty() ? "ssh " + end.status.words() : end.words.back();
}

Error byRule(const SshEnd& end) {
    if (auto error = programsError(end)) return *error;
    for (const Rule& rule : kRules)
        if (const auto* line = lineWith(end, rule.needle))
            return {ErrorCode::Unavailable, filled(rule.sentence, end.host, *line),
                    filled(rule.remedy, end.host, *line)};
    return {ErrorCode::Unavailable,
            end.wasOpen ? fmt::format("the service on {} has ended: {}", end.host, lastWords(end))
                        : fmt::format("ssh cannot reach {}: {}", end.host, lastWords(end)),
            end.wasOpen ? "" : fmt::format("Try it by hand: ssh {} true", end.host)};
}

}  // namespace

Error sshError(const SshEnd& end) {
    Error error = [&] {
        if (!end.wasOpen) {
            if (auto changed = changedKey(end)) return *changed;
            if (auto unknown = unknownKey(end)) return *unknown;
            if (auto denied = permissionDenied(end)) return *denied;
        }
        return byRule(end);
    }();
    if (!end.jump.empty() && !end.wasOpen)
        error.message += fmt::format(" (by way of {})", end.jump);
    if (end.wasOpen) error.code = ErrorCode::PeerLost;
    return error;
}

}  // namespace lockstep::launch
