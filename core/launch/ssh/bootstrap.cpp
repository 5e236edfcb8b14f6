// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/launch/ssh/bootstrap_script.h"

namespace lockstep::launch {

namespace {

constexpr std::string_view kMarker = "lockstep-bootstrap ";

/// Cuts the first word off.
std::string takeWord(std::string_view& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

std::string machinesOf(const std::vector<Bundle>& bundles) {
    std::vector<std::string> names;
    for (const Bundle& bundle : bundles)
        names.push_back(bundle.machine);
    return joinWords(names);
}

Error noRoom(const std::string& host, const std::string& words) {
    return {ErrorCode::Unavailable,
            fmt::format("{} has no room for Lockstep in its cache folder: {}", host, words),
            "Free about 60 MB there, or let XDG_CACHE_HOME of that account name a folder on "
            "another disk."};
}

Error cannotWrite(const std::string& host, const std::string& words) {
    return {ErrorCode::Unavailable,
            fmt::format("{} cannot keep Lockstep in its cache folder: {}", host, words),
            "Make ~/.cache writable there, or let XDG_CACHE_HOME of that account name a folder "
            "that is."};
}

Error glibcTooOld(const std::string& host, const std::string& words,
                  const std::vector<Bundle>& bundles) {
    std::string needed = bundles.empty() ? "2.36" : bundles.front().glibc;
    return {ErrorCode::Unavailable,
            words == "none"
                ? fmt::format("{} has no GNU C library, and Lockstep needs version {} of it", host,
                              needed)
                : fmt::format("{} has version {} of the GNU C library; this build of Lockstep "
                              "needs {} or newer",
                              host, words, needed),
            "Use a host with a newer system, or build Lockstep on a system as old as that one."};
}

}  // namespace

const std::string& bootstrapCommand() {
    // No single quote, '!' or newline inside: csh and fish would take them for something else.
    static const std::string command =
        fmt::format("exec /bin/sh -c 'echo; echo lockstep-bootstrap ready; eval \"$(head -c {})\"'",
                    kBootstrapScript.size());
    return command;
}

std::string bootstrapInput(const std::vector<Bundle>& bundles) {
    std::string input(kBootstrapScript);
    for (const Bundle& bundle : bundles)
        input +=
            fmt::format("{} {} {} {} ", bundle.machine, bundle.hash, bundle.bytes, bundle.glibc);
    input += '\n';
    return input;
}

std::optional<BootstrapAnswer> bootstrapAnswer(std::string_view line) {
    using Kind = BootstrapAnswer::Kind;
    if (!line.starts_with(kMarker)) return std::nullopt;
    line.remove_prefix(kMarker.size());
    const std::string word = takeWord(line);
    if (word == "ready") return BootstrapAnswer{Kind::Ready};
    if (word == "run") return BootstrapAnswer{Kind::Run};
    if (word != "want" && word != "refused") return std::nullopt;
    BootstrapAnswer answer{word == "want" ? Kind::Want : Kind::Refused};
    answer.machine = sanitizeLine(takeWord(line), 64);
    answer.words = sanitizeLine(line, 512);
    return answer;
}

Error bootstrapRefusal(const std::string& host, const BootstrapAnswer& refusal,
                       const std::vector<Bundle>& bundles) {
    const std::string& kind = refusal.machine;
    const std::string& words = refusal.words;
    if (kind == "machine")
        return {ErrorCode::Unavailable,
                fmt::format("{} is a machine of type {}; this Lockstep has programs for {}", host,
                            words, machinesOf(bundles)),
                "Build Lockstep on a machine of that type, and put its lockstep-" + words +
                    ".tar.gz and .manifest from share/lockstep beside those that are here."};
    if (kind == "glibc") return glibcTooOld(host, words, bundles);
    if (kind == "home")
        return {ErrorCode::Unavailable, host + " does not tell where the account's home folder is",
                "Set HOME or XDG_CACHE_HOME for that account."};
    if (kind == "noexec")
        return {
            ErrorCode::Unavailable,
            fmt::format("{} does not let programs run from {} (it is mounted noexec)", host, words),
            "Let XDG_CACHE_HOME of that account name a folder where programs may run."};
    const bool isFull = words.find("No space left") != std::string::npos ||
                        words.find("quota exceeded") != std::string::npos;
    if (isFull) return noRoom(host, words);
    if (kind == "damaged")
        return {
            ErrorCode::Corrupt,
            fmt::format("what arrived at {} is not what was sent: its SHA-256 is {}", host, words),
            "Try again; if it stays so, something on the way or the disk there alters data."};
    return cannotWrite(host, words);
}

}  // namespace lockstep::launch
