// SPDX-License-Identifier: Apache-2.0
#include "core/wire/poll.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <tuple>
#include <vector>

#include "core/wire/native.h"

namespace lockstep::wire {

Result<Wakeup> Wakeup::make() {
    UniqueFd fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!fd.valid()) return fail(ErrorCode::Io, "making an eventfd: " + errnoText());
    return Wakeup(std::move(fd));
}

void Wakeup::notify() const {
    const std::uint64_t one = 1;
    // The only possible failure is a full counter, and then the waiter is awake already.
    std::ignore = ::write(fd_.get(), &one, sizeof one);
}

bool Wakeup::drain() const {
    std::uint64_t count = 0;
    return ::read(fd_.get(), &count, sizeof count) == ssize_t{sizeof count};
}

namespace {
/// Rounded up, so that a wait for a deadline does not spin through its last millisecond.
long toPollMillis(Nanos timeout) {
    const auto millis = std::chrono::ceil<Millis>(std::max(timeout, Nanos::zero())).count();
    return static_cast<long>(
        std::min<Millis::rep>(millis, std::numeric_limits<std::int32_t>::max()));
}
}  // namespace

Result<bool> waitReadable(std::span<Pollable* const> sockets, const Wakeup* wakeup, Nanos timeout) {
    std::vector<zmq_pollitem_t> items;
    items.reserve(sockets.size() * 2 + 1);
    for (const Pollable* socket : sockets) {
        for (void* handle : socket->pollHandles()) {
            if (handle != nullptr) items.push_back({handle, -1, ZMQ_POLLIN, 0});
        }
    }
    if (wakeup != nullptr) items.push_back({nullptr, wakeup->fd(), ZMQ_POLLIN, 0});
    const int ready = zmq_poll(items.data(), static_cast<int>(items.size()), toPollMillis(timeout));
    if (ready >= 0) return ready > 0;
    if (errno == EINTR) return false;
    return fail(ErrorCode::Internal, std::string("waiting for messages: ") + zmq_strerror(errno));
}

}  // namespace lockstep::wire
