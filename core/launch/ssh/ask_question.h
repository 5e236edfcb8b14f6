// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::launch {

/// What ssh asks before it can log in, for a dialog or a line in the terminal.
struct AskQuestion {
    enum class Kind : std::uint8_t {
        HostKey,     ///< Trust this key of a host that is not known? Yes or no.
        Passphrase,  ///< Of a key file.
        Password,    ///< Of an account, or a code that the host asks for.
        Confirm,     ///< Yes or no.
        Notice,      ///< Nothing to answer: "touch your security key". Goes away by itself.
    };
    Kind kind = Kind::Confirm;
    std::string destination{};  ///< The host being connected to, as the user names it.
    std::string host{};         ///< HostKey: whose key, as ssh names it: it may be a jump host's.
    std::string keyType{};      ///< HostKey: "ED25519".
    std::string fingerprint{};  ///< HostKey: "SHA256:…".
    std::string keyFile{};      ///< Passphrase.
    std::string text{};         ///< ssh's own words, without control characters but newlines.
};

/// The answer; none: declined.
struct AskAnswer {
    bool accepted = false;
    std::string secret{};  ///< Passphrase, Password.
};

/// The question in a prompt of ssh. `promptKind`: its SSH_ASKPASS_PROMPT ("", "confirm", "none").
[[nodiscard]] AskQuestion askQuestionIn(std::string_view prompt, std::string_view promptKind,
                                        std::string destination);

/// Equal for questions with one answer: the passphrase of a key that opens several hosts, the key
/// of a jump host that many connections go by.
[[nodiscard]] std::string askIdentity(const AskQuestion& question);

/// What ssh is told. A host key is accepted by its fingerprint, so that it is the shown one.
[[nodiscard]] std::string askReply(const AskQuestion& question, const AskAnswer& answer);

/// The question as a sentence for a terminal.
[[nodiscard]] std::string askSentence(const AskQuestion& question);

}  // namespace lockstep::launch
