// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/wire/context.h"
#include "core/wire/poll.h"

namespace lockstep::wire {

/// Takes messages of programs of the same user on the same machine, over a unix socket. It knows
/// no keys: who may speak is who can open the socket's folder, which must be this user's own and
/// closed to all others. Nothing is ever answered. Used by one thread.
class LocalReceiver final : public Pollable {
public:
    static constexpr std::size_t kLongestPath = 99;  ///< Of a unix socket, everywhere.

    /// Makes the socket (mode 0600), replacing one that was left behind. Unavailable when its
    /// folder is not this user's alone (0700), BadInput when the path is longer than kLongestPath.
    /// At most `queued` messages of at most `maxBytes` wait for each sender; then it waits itself.
    [[nodiscard]] static Result<std::unique_ptr<LocalReceiver>> bind(
        const Context& context, const std::filesystem::path& socket, int queued,
        std::int64_t maxBytes);
    ~LocalReceiver() override;

    /// ipc://PATH, for senders (ZeroMQ's PUSH).
    [[nodiscard]] const std::string& endpoint() const;
    /// The next message, or nothing when there is none. Never blocks. Messages of several parts
    /// are not ours: dropped and counted.
    [[nodiscard]] Result<std::optional<std::string>> receive();
    [[nodiscard]] std::uint64_t malformedCount() const;

private:
    struct State;
    explicit LocalReceiver(std::unique_ptr<State> state);
    [[nodiscard]] std::array<void*, 2> pollHandles() const override;
    std::unique_ptr<State> state_;
};

}  // namespace lockstep::wire
