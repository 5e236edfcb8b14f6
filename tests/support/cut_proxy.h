// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"

namespace lockstep::tests {

/// A way to a server of this machine that can break: `cut` loses whatever is under way, in
/// programs and kernels, as a network that goes away does. Connections after it work again.
class CutProxy {
public:
    explicit CutProxy(int serverPort) : serverPort_(serverPort), listener_(listen()) {
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }
    [[nodiscard]] int port() const { return port_; }
    void cut() { cut_.store(true); }
    [[nodiscard]] int cuts() const { return cuts_.load(); }

private:
    struct Way {
        UniqueFd client;
        UniqueFd server;
    };

    UniqueFd listen() {
        UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            ::listen(fd.get(), 16) != 0 ||
            ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
            std::abort();
        port_ = ntohs(address.sin_port);
        return fd;
    }
    static sockaddr_in loopback(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        return address;
    }

    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::vector<pollfd> watched{{listener_.get(), POLLIN, 0}};
            for (const Way& way : ways_) {
                watched.push_back({way.client.get(), POLLIN, 0});
                watched.push_back({way.server.get(), POLLIN, 0});
            }
            ::poll(watched.data(), watched.size(), 10);
            if (cut_.exchange(false)) {
                reset();
                continue;
            }
            for (std::size_t i = 0; i < ways_.size(); ++i) {
                const bool open = pass(watched[2 * i + 1], ways_[i].server.get()) &&
                                  pass(watched[2 * i + 2], ways_[i].client.get());
                if (!open) ways_[i] = Way{};
            }
            std::erase_if(ways_, [](const Way& way) { return !way.client.valid(); });
            if (watched[0].revents != 0) accept();
        }
    }
    void accept() {
        Way way{UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
                UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
        const sockaddr_in server = loopback(serverPort_);
        if (::connect(way.server.get(), reinterpret_cast<const sockaddr*>(&server),
                      sizeof server) == 0)
            ways_.push_back(std::move(way));
    }
    /// False when this side has closed.
    static bool pass(const pollfd& from, int to) {
        if (from.revents == 0) return true;
        std::array<char, 16384> buffer;
        const ssize_t got = ::recv(from.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
        for (ssize_t sent = 0; sent < got;) {
            const ssize_t done = ::send(to, buffer.data() + sent,
                                        static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
            if (done <= 0) return false;
            sent += done;
        }
        return got > 0;
    }
    void reset() {
        const linger now{1, 0};
        for (const Way& way : ways_)
            for (const int fd : {way.client.get(), way.server.get()})
                ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        ways_.clear();
        ++cuts_;
    }

    const int serverPort_;
    int port_ = 0;
    UniqueFd listener_;
    std::vector<Way> ways_;
    std::atomic<bool> cut_{false};
    std::atomic<int> cuts_{0};
    std::jthread thread_;
};

}  // namespace lockstep::tests
