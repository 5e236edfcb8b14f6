// SPDX-License-Identifier: Apache-2.0
#include "core/wire/echo_listener.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "core/base/clock.h"
#include "core/base/thread.h"
#include "core/wire/socket_address.h"

namespace lockstep::wire {

namespace {

constexpr int kTickMs = 100;  ///< How soon a listener that is to end does.
constexpr std::size_t kMostGuests = 256;
constexpr std::chrono::seconds kGuestPatience{3};
constexpr int kBacklog = 256;

struct Guest {
    UniqueFd socket;
    std::string heard{};
    Nanos deadline{};
};

/// Whether the guest is done with: served, gone, late, or somebody who says something else.
bool serve(Guest& guest, short events, const std::string& token) {
    if (events == 0) return SteadyClock::read() > guest.deadline;
    std::array<char, kEchoTokenBytes> piece{};
    const ssize_t got = ::recv(guest.socket.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got <= 0) return true;
    guest.heard.append(piece.data(), static_cast<std::size_t>(got));
    if (!token.starts_with(guest.heard)) return true;
    if (guest.heard.size() < token.size()) return false;
    std::ignore =
        ::send(guest.socket.get(), token.data(), token.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return true;
}

void acceptInto(int listener, std::vector<Guest>& guests) {
    UniqueFd fresh(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fresh.valid() && guests.size() < kMostGuests)
        guests.push_back({std::move(fresh), {}, SteadyClock::read() + kGuestPatience});
}

void serveAll(int listener, const std::string& token, const std::stop_token& stop) {
    std::vector<Guest> guests;
    std::vector<pollfd> entries;
    while (!stop.stop_requested()) {
        entries.assign(1, {listener, POLLIN, 0});
        for (const Guest& guest : guests)
            entries.push_back({guest.socket.get(), POLLIN, 0});
        if (::poll(entries.data(), entries.size(), kTickMs) < 0) continue;
        std::vector<Guest> staying;
        for (std::size_t i = 0; i < guests.size(); ++i)
            if (!serve(guests[i], entries[i + 1].revents, token))
                staying.push_back(std::move(guests[i]));
        guests = std::move(staying);
        if (entries.front().revents != 0) acceptInto(listener, guests);
    }
}

ListenProblem problemOf(int error) {
    switch (error) {
        case EADDRINUSE:
            return LISTEN_IN_USE;
        case EADDRNOTAVAIL:
            return LISTEN_NOT_OWN_ADDRESS;
        case EACCES:
            return LISTEN_FORBIDDEN;
        default:
            return LISTEN_FAILED;
    }
}

/// As the coordinator and the processes bind theirs. errno on failure.
UniqueFd listenAt(const addrinfo& at) {
    UniqueFd socket(::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.valid()) return {};
    const int on = 1;
    std::ignore = ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(socket.get(), at.ai_addr, at.ai_addrlen) != 0 ||
        ::listen(socket.get(), kBacklog) != 0)
        return {};
    return socket;
}

std::uint32_t portOf(int socket) {
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0) return 0;
    if (own.ss_family == AF_INET6) {
        sockaddr_in6 address{};
        std::memcpy(&address, &own, sizeof address);
        return ntohs(address.sin6_port);
    }
    sockaddr_in address{};
    std::memcpy(&address, &own, sizeof address);
    return ntohs(address.sin_port);
}

}  // namespace

EchoListener::EchoListener(UniqueFd socket, std::string token)
    : socket_(std::move(socket)), token_(std::move(token)) {
    thread_ = startThread("echo-listen", [this](const std::stop_token& stop) {
        serveAll(socket_.get(), token_, stop);
    });
}

std::unique_ptr<EchoListener> EchoListener::open(const OpenListener& wanted,
                                                 ListenerOpened& answer) {
    if (wanted.token().size() != kEchoTokenBytes || wanted.port() > UINT16_MAX) {
        answer.set_problem(LISTEN_FAILED);
        answer.set_error("the request is malformed");
        return nullptr;
    }
    const auto found = resolveBriefly(wanted.address(), wanted.port());
    if (!found) {
        answer.set_problem(LISTEN_UNKNOWN_NAME);
        answer.set_error(found.error().message);
        return nullptr;
    }
    int error = 0;
    for (const addrinfo* at = found->get(); at != nullptr; at = at->ai_next) {
        UniqueFd socket = listenAt(*at);
        if (!socket.valid()) {
            error = errno;
            continue;
        }
        answer.set_port(portOf(socket.get()));
        return std::unique_ptr<EchoListener>(new EchoListener(std::move(socket), wanted.token()));
    }
    answer.set_problem(problemOf(error));
    answer.set_error(std::strerror(error));
    return nullptr;
}

}  // namespace lockstep::wire
