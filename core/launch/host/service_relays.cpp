// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/service_relays.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostStreams = 16;
constexpr std::size_t kMostUnderWay = 8 << 20;
constexpr std::size_t kPiece = 64 << 10;
constexpr const char* kClosed = "closed";  // in order: no error for the other side

bool isTransient(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

std::string ServiceRelays::open(std::uint64_t id, const std::string& path) {
    if (streams_.size() >= kMostStreams || streams_.contains(id))
        return fmt::format("there are {} relays already", streams_.size());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        return fmt::format("'{}' is no path of a socket", path);
    std::memcpy(address.sun_path, path.data(), path.size());
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd.valid()) return "cannot make a socket: " + errnoText();
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return fmt::format("cannot connect to {}: {}", path, errnoText());
    streams_[id] = {std::move(fd), {}};
    return {};
}

wire::FromHost ServiceRelays::close(std::uint64_t id, const std::string& error) {
    streams_.erase(id);
    wire::FromHost end;
    end.set_request(id);
    end.mutable_relay_end()->set_error(error == kClosed ? "" : error);
    return end;
}

std::string ServiceRelays::write(Stream& stream) {
    while (!stream.toSocket.empty()) {
        const ssize_t count = ::send(stream.socket.get(), stream.toSocket.data(),
                                     stream.toSocket.size(), MSG_NOSIGNAL);
        if (count > 0)
            stream.toSocket.erase(0, static_cast<std::size_t>(count));
        else
            return isTransient(errno) ? "" : errnoText();
    }
    return {};
}

std::vector<wire::FromHost> ServiceRelays::take(const wire::ToHost& message) {
    const std::uint64_t id = message.request();
    if (message.has_relay_open()) {
        const std::string error = open(id, message.relay_open().socket());
        if (error.empty()) return {};
        wire::FromHost end;
        end.set_request(id);
        end.mutable_relay_end()->set_error(error);
        return {end};
    }
    const auto found = streams_.find(id);
    if (found == streams_.end()) return {};  // it ended meanwhile, which the launcher was told
    if (message.has_relay_end()) {
        streams_.erase(found);
        return {};
    }
    Stream& stream = found->second;
    stream.toSocket += message.relay_data().bytes();
    const std::string error = stream.toSocket.size() > kMostUnderWay
                                  ? "the socket does not take what comes"
                                  : write(stream);
    if (error.empty()) return {};
    return {close(id, error)};
}

void ServiceRelays::addTo(std::vector<pollfd>& watched, bool mayRead) const {
    for (const auto& [id, stream] : streams_) {
        const int events = (mayRead ? POLLIN : 0) | (stream.toSocket.empty() ? 0 : POLLOUT);
        if (events != 0) watched.push_back({stream.socket.get(), static_cast<short>(events), 0});
    }
}

std::vector<wire::FromHost> ServiceRelays::serve(const std::vector<pollfd>& watched) {
    std::vector<wire::FromHost> news;
    std::array<char, kPiece> buffer;
    for (const pollfd& item : watched) {
        if (item.revents == 0) continue;
        for (auto& [id, stream] : streams_) {
            if (stream.socket.get() != item.fd) continue;
            std::string over = write(stream);
            if (over.empty() && (item.revents & ~POLLOUT) != 0) {
                const ssize_t got = ::read(item.fd, buffer.data(), buffer.size());
                if (got > 0) {
                    wire::FromHost data;
                    data.set_request(id);
                    data.mutable_relay_data()->set_bytes(buffer.data(),
                                                         static_cast<std::size_t>(got));
                    news.push_back(std::move(data));
                } else if (got == 0) {
                    over = kClosed;
                } else if (!isTransient(errno)) {
                    over = errnoText();
                }
            }
            if (!over.empty()) news.push_back(close(id, over));
            break;
        }
    }
    return news;
}

}  // namespace lockstep::launch
