// SPDX-License-Identifier: Apache-2.0
#include "core/wire/keys.h"

#include <array>
#include <functional>
#include <string_view>

#include "core/base/rng.h"
#include "core/base/sha256.h"
#include "core/wire/native.h"

namespace lockstep::wire {

namespace {
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kKeyCharacters = 40;
constexpr std::string_view kZ85Alphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
/// Any 32 bytes are a secret key of Curve25519.
Result<KeyPair> pairWith(const std::array<std::uint8_t, kKeyBytes>& bytes) {
    std::array<char, kKeyCharacters + 1> publicKey{};
    std::array<char, kKeyCharacters + 1> secretKey{};
    if (zmq_z85_encode(secretKey.data(), bytes.data(), bytes.size()) == nullptr ||
        zmq_curve_public(publicKey.data(), secretKey.data()) != 0)
        return fail(ErrorCode::Unavailable, "this ZeroMQ library has no CURVE encryption");
    return KeyPair{publicKey.data(), secretKey.data()};
}

}  // namespace

Result<KeyPair> newKeyPair() {
    std::array<char, kKeyCharacters + 1> publicKey{};
    std::array<char, kKeyCharacters + 1> secretKey{};
    if (zmq_curve_keypair(publicKey.data(), secretKey.data()) != 0)
        return fail(ErrorCode::Unavailable,
                    "this ZeroMQ library has no CURVE encryption, without which no job may run",
                    "Install libzmq with libsodium (Debian: libzmq5).");
    return KeyPair{publicKey.data(), secretKey.data()};
}

Result<KeyPair> openKeyPair(const std::string& text) {
    std::array<std::uint8_t, kKeyBytes> bytes{};
    // No cryptography: equal texts give equal keys, different ones different keys.
    CounterRng words(std::hash<std::string>{}(text), text.size());
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(words.nextU32());
    return pairWith(bytes);
}

Result<KeyPair> keyPairOf(std::string_view secret, std::string_view text) {
    return pairWith(hmacSha256(secret, "lockstep curve25519 key\n" + std::string(text)));
}

bool isKey(const std::string& text) {
    return text.size() == kKeyCharacters &&
           text.find_first_not_of(kZ85Alphabet) == std::string::npos;
}

}  // namespace lockstep::wire
