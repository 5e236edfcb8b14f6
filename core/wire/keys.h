// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::wire {

/// A CURVE25519 key pair in Z85, 40 characters each. The secret goes to its owner over standard
/// input or a file of mode 0600; never into arguments, environment or logs.
struct KeyPair {
    std::string publicKey;
    std::string secretKey;
};

/// A new random pair. Unavailable when the ZeroMQ library was built without CURVE.
[[nodiscard]] Result<KeyPair> newKeyPair();

/// The pair that follows from `text`: whoever knows the text has the key. For meetings without any
/// secrecy, which a user has to ask for in so many words.
[[nodiscard]] Result<KeyPair> openKeyPair(const std::string& text);

/// The pair that follows from `secret` for `text`: whoever knows the secret has the keys of all
/// texts, and nobody else any of them. The secret must be one that cannot be guessed.
[[nodiscard]] Result<KeyPair> keyPairOf(std::string_view secret, std::string_view text);

/// Whether `text` has the form of a Z85 key (40 characters of the Z85 alphabet).
[[nodiscard]] bool isKey(const std::string& text);

}  // namespace lockstep::wire
