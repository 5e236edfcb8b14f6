// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ask_question.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace lockstep::launch {

namespace {

using Kind = AskQuestion::Kind;

constexpr std::size_t kMaxText = 4096;
constexpr std::size_t kMaxName = 300;

std::string between(std::string_view text, std::string_view before, std::string_view after) {
    const std::size_t from = text.find(before);
    if (from == std::string_view::npos) return {};
    const std::size_t start = from + before.size();
    const std::size_t end = text.find(after, start);
    if (end == std::string_view::npos) return {};
    return sanitizeLine(text.substr(start, end - start), kMaxName);
}

/// Line by line without control characters.
std::string shown(std::string_view text) {
    std::string result;
    while (!text.empty() && result.size() < kMaxText) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (!result.empty()) result += '\n';
        result += sanitizeLine(text.substr(0, end), kMaxName);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    while (!result.empty() && (result.back() == ' ' || result.back() == '\n'))
        result.pop_back();
    return result;
}

/// "ED25519" of "…\nED25519 key fingerprint is SHA256:…".
std::string keyTypeIn(std::string_view text) {
    const std::size_t end = text.find(" key fingerprint is ");
    if (end == std::string_view::npos) return {};
    const std::size_t line = text.rfind('\n', end);
    const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
    return sanitizeLine(text.substr(start, end - start), 40);
}

std::string fingerprintIn(std::string_view text) {
    std::string found = between(text, " key fingerprint is ", "\n");
    if (found.ends_with('.')) found.pop_back();
    const bool isSafe =
        found.starts_with("SHA256:") && found.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                                            "YZ0123456789+/=:") == std::string::npos;
    return isSafe ? found : std::string();
}

bool isYesNo(Kind kind) {
    return kind == Kind::HostKey || kind == Kind::Confirm;
}

}  // namespace

AskQuestion askQuestionIn(std::string_view prompt, std::string_view promptKind,
                          std::string destination) {
    AskQuestion question;
    question.destination = std::move(destination);
    question.text = shown(prompt);
    if (promptKind == "none") {
        question.kind = Kind::Notice;
    } else if (prompt.find("authenticity of host '") != std::string_view::npos) {
        question.kind = Kind::HostKey;
        // "name (address)", or the address twice.
        question.host = between(prompt, "authenticity of host '", "'");
        question.host = question.host.substr(0, question.host.find(" ("));
        question.keyType = keyTypeIn(prompt);
        question.fingerprint = fingerprintIn(prompt);
    } else if (promptKind == "confirm" || prompt.find("(yes/no") != std::string_view::npos ||
               prompt.find("Please type 'yes'") != std::string_view::npos) {
        question.kind = Kind::Confirm;
    } else if (prompt.starts_with("Enter passphrase for ")) {
        question.kind = Kind::Passphrase;
        question.keyFile = between(prompt, "'", "'");
        if (question.keyFile.empty())
            question.keyFile = between(prompt, "Enter passphrase for ", ":");
    } else {
        question.kind = Kind::Password;
    }
    return question;
}

std::string askIdentity(const AskQuestion& question) {
    switch (question.kind) {
        case Kind::HostKey:
            return "key " + question.host + " " + question.fingerprint;
        case Kind::Passphrase:
            return "passphrase " + question.keyFile;
        // ssh's words name the account; a code that changes is asked for by each host.
        case Kind::Password:
        case Kind::Confirm:
        case Kind::Notice:
            break;
    }
    return "other " + question.destination + " " + question.text;
}

std::string askReply(const AskQuestion& question, const AskAnswer& answer) {
    if (!isYesNo(question.kind)) return answer.secret;
    if (!answer.accepted) return "no";
    const bool takesFingerprint = question.text.find("[fingerprint]") != std::string::npos;
    return takesFingerprint && !question.fingerprint.empty() ? question.fingerprint : "yes";
}

std::string askSentence(const AskQuestion& question) {
    switch (question.kind) {
        case Kind::HostKey:
            return fmt::format(
                "{} is not known here. It shows a key of type {} with the "
                "fingerprint\n  {}\nCompare it with what its administrator says. "
                "Trust it from now on? (yes/no) ",
                question.host, question.keyType, question.fingerprint);
        case Kind::Passphrase:
            return fmt::format("Passphrase of the key {} (for {}): ", question.keyFile,
                               question.destination);
        case Kind::Password:
            return fmt::format("{} asks: {} ", question.destination, question.text);
        case Kind::Confirm:
            return fmt::format("{} (yes/no) ", question.text);
        case Kind::Notice:
            break;
    }
    return question.text;
}

}  // namespace lockstep::launch
