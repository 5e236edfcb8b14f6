// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "core/base/file.h"
#include "core/wire/messages/doctor.pb.h"

namespace lockstep::wire {

inline constexpr std::size_t kEchoTokenBytes = 32;

/// Listens at one address until it is destroyed, and sends a token back to whoever sends it: so
/// that whoever connects knows that it has reached this listener and no stranger.
class EchoListener {
public:
    /// Opens it, or says in the answer why it cannot be. Looks the name up: may take seconds.
    [[nodiscard]] static std::unique_ptr<EchoListener> open(const OpenListener& wanted,
                                                            ListenerOpened& answer);

private:
    EchoListener(UniqueFd socket, std::string token);

    UniqueFd socket_;
    std::string token_;
    std::jthread thread_;
};

}  // namespace lockstep::wire
