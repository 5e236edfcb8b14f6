// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/relay_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostStreams = 8;
constexpr std::size_t kMostUnderWay = 32 << 20;  ///< Monitors ask for 4 MiB at a time.
constexpr std::size_t kPiece = 64 << 10;
constexpr std::size_t kLongestPath = 99;

bool isTransient(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

Result<RelaySocket> RelaySocket::open(const std::filesystem::path& folder,
                                      std::string socketOfHost) {
    std::string path = folder / "relay";
    if (path.size() > kLongestPath)
        return fail(ErrorCode::BadInput, fmt::format("{} is too long for a socket", path));
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    ::unlink(path.c_str());
    if (!fd.valid() ||
        ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), static_cast<int>(kMostStreams)) != 0)
        return fail(ErrorCode::Io, fmt::format("cannot listen at {}: {}", path, errnoText()));
    return RelaySocket(std::move(fd), std::move(path), std::move(socketOfHost));
}

RelaySocket::~RelaySocket() {
    if (listener_.valid()) ::unlink(path_.c_str());
}

void RelaySocket::addTo(std::vector<pollfd>& watched) const {
    watched.push_back({listener_.get(), POLLIN, 0});
    for (const auto& [id, stream] : streams_)
        watched.push_back({stream.connection.get(),
                           static_cast<short>(POLLIN | (stream.toConnection.empty() ? 0 : POLLOUT)),
                           0});
}

void RelaySocket::accept(std::vector<wire::ToHost>& messages) {
    UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.valid() || streams_.size() >= kMostStreams) return;
    wire::ToHost message;
    message.set_request(++lastStream_);
    message.mutable_relay_open()->set_socket(socketOfHost_);
    messages.push_back(std::move(message));
    streams_[lastStream_] = {std::move(connection), {}};
}

std::vector<wire::ToHost> RelaySocket::serve(const std::vector<pollfd>& watched) {
    std::vector<wire::ToHost> messages;
    std::array<char, kPiece> buffer;
    for (const pollfd& item : watched) {
        if (item.revents == 0) continue;
        if (item.fd == listener_.get()) {
            accept(messages);
            continue;
        }
        for (auto& [id, stream] : streams_) {
            if (stream.connection.get() != item.fd) continue;
            bool over = !write(stream);
            const ssize_t got = over ? 0 : ::read(item.fd, buffer.data(), buffer.size());
            over = over || got == 0 || (got < 0 && !isTransient(errno));
            wire::ToHost message;
            message.set_request(id);
            if (over)
                message.mutable_relay_end();
            else if (got > 0)
                message.mutable_relay_data()->set_bytes(buffer.data(),
                                                        static_cast<std::size_t>(got));
            if (over || got > 0) messages.push_back(std::move(message));
            if (over) streams_.erase(id);
            break;
        }
    }
    return messages;
}

/// False when the connection is over.
bool RelaySocket::write(Stream& stream) {
    while (!stream.toConnection.empty()) {
        const ssize_t count = ::send(stream.connection.get(), stream.toConnection.data(),
                                     stream.toConnection.size(), MSG_NOSIGNAL);
        if (count <= 0) return isTransient(errno);
        stream.toConnection.erase(0, static_cast<std::size_t>(count));
    }
    return true;
}

void RelaySocket::take(const wire::FromHost& message) {
    const auto found = streams_.find(message.request());
    if (found == streams_.end()) return;
    Stream& stream = found->second;
    stream.toConnection += message.relay_data().bytes();
    const bool over = message.has_relay_end() || stream.toConnection.size() > kMostUnderWay;
    if (!write(stream) || over) streams_.erase(found);
}

}  // namespace lockstep::launch
