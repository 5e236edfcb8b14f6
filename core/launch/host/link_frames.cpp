// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/link_frames.h"

#include <poll.h>

#include <algorithm>
#include <tuple>

#include "core/base/try.h"

namespace lockstep::launch {

namespace {

void waitFor(int fd, short events, Nanos left) {
    pollfd item{fd, events, 0};
    const auto millis =
        std::clamp<std::int64_t>(std::chrono::ceil<Millis>(left).count(), 0, 60'000);
    ::poll(&item, 1, static_cast<int>(millis));
}

}  // namespace

Result<void> LinkFrames::send(const wire::ToHost& message, Nanos timeout) {
    const Nanos deadline = SteadyClock::read() + timeout;
    bool isTaken = false;
    for (;;) {
        TRY(writer_.flush(input_));
        if (writer_.pending() == 0 && isTaken) return {};
        if (writer_.pending() == 0) {
            isTaken = true;
            TRY(writer_.push(message.SerializeAsString()));
            continue;
        }
        const Nanos left = deadline - SteadyClock::read();
        if (left <= Nanos::zero() && isTaken) return {};
        if (left <= Nanos::zero())
            return fail(ErrorCode::Timeout, "the host does not take what is sent to it");
        waitFor(input_, POLLOUT, left);
    }
}

Result<std::optional<wire::FromHost>> LinkFrames::receive(Nanos timeout) {
    const Nanos deadline = SteadyClock::read() + timeout;
    for (;;) {
        std::ignore = writer_.flush(input_);  // a closed connection shows itself below
        if (const auto frame = reader_.next()) {
            wire::FromHost message;
            if (message.ParseFromString(*frame)) return std::optional(std::move(message));
            return fail(ErrorCode::PeerLost, "what the host's service says cannot be read");
        }
        auto more = reader_.fill(output_);
        if (!more) return fail(ErrorCode::PeerLost, more.error().message);
        if (reader_.hasWhole()) continue;
        if (!*more) return fail(ErrorCode::PeerLost, "the host's service has ended the connection");
        const Nanos left = deadline - SteadyClock::read();
        if (left <= Nanos::zero()) return std::nullopt;
        waitFor(output_, POLLIN, left);
    }
}

}  // namespace lockstep::launch
