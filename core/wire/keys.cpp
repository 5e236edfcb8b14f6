// SPDX-License-Identifier: Apache-2.0
#include "core/wire/keys.h"

#include <array>
#include <string_view>

#include "core/wire/native.h"

namespace lockstep::wire {

namespace {
constexpr std::size_t kKeyCharacters = 40;
constexpr std::string_view kZ85Alphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
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

bool isKey(const std::string& text) {
    return text.size() == kKeyCharacters &&
           text.find_first_not_of(kZ85Alphabet) == std::string::npos;
}

}  // namespace lockstep::wire
