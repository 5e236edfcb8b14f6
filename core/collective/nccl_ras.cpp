// SPDX-License-Identifier: Apache-2.0
#include "core/collective/nccl_ras.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace lockstep::collective {

namespace {

constexpr const char* kDefaultAddress = "localhost:28028";
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

int millisLeft(Nanos deadline) {
    const auto left = std::chrono::duration_cast<Millis>(deadline - SteadyClock::read()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

bool waitFor(int socket, short what, Nanos deadline) {
    pollfd entry{socket, what, 0};
    return ::poll(&entry, 1, millisLeft(deadline)) > 0;
}

tl::unexpected<Error> late(const std::string& address) {
    return fail(ErrorCode::Timeout,
                fmt::format("NCCL's RAS at {} did not answer in time", address));
}

Result<UniqueFd> connectTo(const std::string& address, Nanos deadline) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos)
        return fail(ErrorCode::BadInput,
                    fmt::format("NCCL_RAS_ADDR is \"{}\", not host:port", address));
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const std::string host = address.substr(0, colon);
    if (::getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) != 0)
        return fail(ErrorCode::Unavailable, fmt::format("the host of {} is not known", address));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, &::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        UniqueFd socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (socket.get() < 0) continue;
        const int started = ::connect(socket.get(), one->ai_addr, one->ai_addrlen);
        if (started != 0 && errno != EINPROGRESS) continue;
        if (!waitFor(socket.get(), POLLOUT, deadline)) return late(address);
        int problem = 0;
        socklen_t length = sizeof problem;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &length);
        if (problem == 0) return socket;
    }
    return fail(ErrorCode::Unavailable, fmt::format("no NCCL RAS listens at {}", address));
}

Result<std::string> readAll(int socket, const std::string& address, Nanos deadline) {
    std::string text;
    std::array<char, 4096> part{};
    while (text.size() < kMostBytes) {
        if (!waitFor(socket, POLLIN, deadline)) {
            if (!text.empty()) return text;  // what came says more than nothing
            return late(address);
        }
        const ssize_t got = ::recv(socket, part.data(), part.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (got <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
}

bool saysWhatIsWrong(std::string_view line) {
    std::string lower(line);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::array<std::string_view, 8> kWords{"dead",       "missing",    "unresponsive",
                                                     "mismatch",   "error",      "abort",
                                                     "incomplete", "not respond"};
    return std::ranges::any_of(
        kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

}  // namespace

Result<std::string> askNcclRas(Nanos timeout) {
    const char* configured = std::getenv("NCCL_RAS_ADDR");
    return askNcclRas(configured != nullptr ? configured : kDefaultAddress, timeout);
}

Result<std::string> askNcclRas(const std::string& address, Nanos timeout) {
    const Nanos deadline = SteadyClock::read() + timeout;
    const auto socket = TRY(connectTo(address, deadline));
    // NCCL gives the others this many seconds to answer it; it must be done before we give up.
    const auto seconds = std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::seconds>(timeout).count() / 2);
    const std::string question = fmt::format("TIMEOUT {}\nVERBOSE STATUS\n", seconds);
    const ssize_t sent = ::send(socket.get(), question.data(), question.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(question.size()))
        return fail(ErrorCode::Unavailable, fmt::format("NCCL's RAS at {} hung up", address));
    return readAll(socket.get(), address, deadline);
}

std::string rasFindings(const std::string& text, int most) {
    std::string findings;
    std::size_t begin = 0;
    while (begin < text.size() && most > 0) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line(text.data() + begin, end - begin);
        begin = end + 1;
        if (!saysWhatIsWrong(line)) continue;
        if (!findings.empty()) findings += '\n';
        findings += sanitizeLine(line, 200);
        --most;
    }
    return findings;
}

}  // namespace lockstep::collective
