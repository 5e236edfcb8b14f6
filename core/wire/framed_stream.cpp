// SPDX-License-Identifier: Apache-2.0
#include "core/wire/framed_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/file.h"
#include "core/base/try.h"

namespace lockstep::wire {

namespace {

constexpr std::size_t kLengthBytes = 4;
/// A pipe that is ready takes this much (PIPE_BUF) without blocking; more might block the write
/// past its deadline.
constexpr std::size_t kWriteChunk = 4096;

Result<void> waitFor(int fd, short events, Nanos deadline, const char* doing) {
    for (;;) {
        const Nanos left = deadline - SteadyClock::read();
        if (left <= Nanos::zero())
            return fail(ErrorCode::Timeout, fmt::format("{}: no progress in time", doing));
        const auto millis = std::min<Millis::rep>(std::chrono::ceil<Millis>(left).count(), 60'000);
        pollfd item{fd, events, 0};
        const int ready = ::poll(&item, 1, static_cast<int>(millis));
        if (ready > 0) return {};  // also on hang-up and error: the system call then says which
        if (ready < 0 && errno != EINTR)
            return fail(ErrorCode::Io, fmt::format("{}: {}", doing, errnoText()));
    }
}

bool isTransient(int error) {
    return error == EINTR || error == EAGAIN || error == EWOULDBLOCK;
}

Result<void> writeUntil(int fd, std::string_view bytes, Nanos deadline) {
    while (!bytes.empty()) {
        TRY(waitFor(fd, POLLOUT, deadline, "writing a message"));
        const ssize_t count = ::write(fd, bytes.data(), std::min(bytes.size(), kWriteChunk));
        if (count > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EPIPE) {
            return fail(ErrorCode::PeerLost, "writing a message: the reader has closed its end");
        } else if (!isTransient(errno)) {
            return fail(ErrorCode::Io, "writing a message: " + errnoText());
        }
    }
    return {};
}

Result<void> readUntil(int fd, char* to, std::size_t size, Nanos deadline) {
    for (std::size_t got = 0; got < size;) {
        TRY(waitFor(fd, POLLIN, deadline, "reading a message"));
        const ssize_t count = ::read(fd, to + got, size - got);
        if (count > 0) {
            got += static_cast<std::size_t>(count);
        } else if (count == 0) {
            return fail(ErrorCode::PeerLost,
                        "reading a message: the stream ended before it was whole");
        } else if (!isTransient(errno)) {
            return fail(ErrorCode::Io, "reading a message: " + errnoText());
        }
    }
    return {};
}

}  // namespace

Result<void> writeFrame(int fd, std::string_view bytes, Nanos timeout) {
    if (bytes.size() > kMaxFrameBytes)
        return fail(ErrorCode::BadInput, fmt::format("a frame of {} bytes is above the limit of {}",
                                                     bytes.size(), kMaxFrameBytes));
    const Nanos deadline = SteadyClock::read() + timeout;
    std::string frame;
    frame.reserve(kLengthBytes + bytes.size());
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        frame += static_cast<char>((bytes.size() >> (8 * i)) & 0xff);
    frame += bytes;
    return writeUntil(fd, frame, deadline);
}

Result<std::string> readFrame(int fd, Nanos timeout) {
    const Nanos deadline = SteadyClock::read() + timeout;
    std::array<char, kLengthBytes> header{};
    if (auto read = readUntil(fd, header.data(), header.size(), deadline); !read)
        return fail(std::move(read.error()));
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        length |= std::size_t{static_cast<unsigned char>(header[i])} << (8 * i);
    if (length > kMaxFrameBytes)
        return fail(ErrorCode::Corrupt, fmt::format("a frame announces {} bytes, the limit is {}",
                                                    length, kMaxFrameBytes));
    std::string bytes(length, '\0');
    if (auto read = readUntil(fd, bytes.data(), length, deadline); !read)
        return fail(std::move(read.error()));
    return bytes;
}

template <typename Message>
Result<void> writeMessage(int fd, const Message& message, Nanos timeout) {
    return writeFrame(fd, message.SerializeAsString(), timeout);
}

template <typename Message>
Result<Message> readMessage(int fd, Nanos timeout) {
    const auto bytes = TRY(readFrame(fd, timeout));
    Message message;
    if (!message.ParseFromString(bytes))
        return fail(ErrorCode::Corrupt,
                    fmt::format("a message of {} bytes does not parse", bytes.size()));
    return message;
}

template Result<void> writeMessage(int, const AgentConfig&, Nanos);
template Result<void> writeMessage(int, const StartTicket&, Nanos);
template Result<StartTicket> readMessage(int, Nanos);
template Result<void> writeMessage(int, const AgentReady&, Nanos);
template Result<void> writeMessage(int, const WorkerConfig&, Nanos);
template Result<AgentConfig> readMessage(int, Nanos);
template Result<AgentReady> readMessage(int, Nanos);
template Result<void> writeMessage(int, const JoinConfig&, Nanos);
template Result<JoinConfig> readMessage(int, Nanos);
template Result<void> writeMessage(int, const ToAgent&, Nanos);
template Result<void> writeMessage(int, const ToHost&, Nanos);
template Result<ToHost> readMessage(int, Nanos);
template Result<void> writeMessage(int, const FromHost&, Nanos);
template Result<FromHost> readMessage(int, Nanos);
template Result<WorkerConfig> readMessage(int, Nanos);

}  // namespace lockstep::wire
