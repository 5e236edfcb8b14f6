// SPDX-License-Identifier: Apache-2.0
#include "core/wire/connections.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/wire/echo_listener.h"
#include "core/wire/socket_address.h"

namespace lockstep::wire {

namespace {

constexpr int kMostAtOnce = 1024;  ///< Each is a socket.
constexpr std::uint32_t kMostMilliseconds = 10'000;

ConnectionOutcome outcomeOf(int error) {
    switch (error) {
        case ECONNREFUSED:
        case ECONNRESET:
            return CONNECTION_REFUSED;
        case ETIMEDOUT:
            return CONNECTION_TIMED_OUT;
        case ENETUNREACH:
        case EHOSTUNREACH:
        case EADDRNOTAVAIL:
            return CONNECTION_NO_ROUTE;
        default:
            return CONNECTION_FAILED;
    }
}

/// One connection on its way: connecting, then awaiting the token.
class Attempt {
public:
    Attempt(const ConnectionTarget& target, ConnectionTried& result)
        : target_(target), result_(result) {}

    void begin(const addrinfo& at) {
        began_ = SteadyClock::read();
        socket_.reset(::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (!socket_.valid() ||
            (::connect(socket_.get(), at.ai_addr, at.ai_addrlen) != 0 && errno != EINPROGRESS))
            endWith(errno);
    }
    void endUnresolved(const Error& error) { end(CONNECTION_UNKNOWN_NAME, error.message); }
    [[nodiscard]] bool underWay() const { return socket_.valid(); }
    [[nodiscard]] pollfd entry() const {
        return {socket_.get(), static_cast<short>(connected_ ? POLLIN : POLLOUT), 0};
    }
    void goOn() { connected_ ? hear() : greet(); }
    void giveUp() {
        if (connected_)
            end(CONNECTION_STRANGER, "whoever listens there does not answer as Lockstep does");
        else
            endWith(ETIMEDOUT);
    }

private:
    void greet() {
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) return endWith(error);
        connected_ = true;
        result_.set_source(ownNumericAddress(socket_.get()));
        std::ignore = ::send(socket_.get(), target_.token().data(), target_.token().size(),
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    void hear() {
        std::array<char, kEchoTokenBytes> piece{};
        const ssize_t got = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (got > 0) heard_.append(piece.data(), static_cast<std::size_t>(got));
        if (heard_ == target_.token()) return end(CONNECTION_REACHED, {});
        if (got <= 0 || !target_.token().starts_with(heard_)) giveUp();
    }
    void endWith(int error) { end(outcomeOf(error), std::strerror(error)); }
    void end(ConnectionOutcome outcome, const std::string& error) {
        result_.set_outcome(outcome);
        result_.set_error(error);
        if (began_.count() != 0)
            result_.set_milliseconds(
                std::chrono::duration<double, std::milli>(SteadyClock::read() - began_).count());
        socket_.reset();
    }

    const ConnectionTarget& target_;
    ConnectionTried& result_;
    UniqueFd socket_;
    Nanos began_{};
    bool connected_ = false;
    std::string heard_;
};

void driveAll(std::vector<Attempt>& attempts, Nanos deadline) {
    std::vector<pollfd> entries;
    std::vector<Attempt*> waiting;
    for (;;) {
        entries.clear();
        waiting.clear();
        for (Attempt& attempt : attempts) {
            if (!attempt.underWay()) continue;
            entries.push_back(attempt.entry());
            waiting.push_back(&attempt);
        }
        const auto left = std::chrono::ceil<Millis>(deadline - SteadyClock::read()).count();
        if (waiting.empty() || left <= 0) break;
        if (::poll(entries.data(), entries.size(), static_cast<int>(left)) <= 0) continue;
        for (std::size_t i = 0; i < waiting.size(); ++i)
            if (entries[i].revents != 0) waiting[i]->goOn();
    }
    for (Attempt* attempt : waiting)
        attempt->giveUp();
}

using KnownHosts = std::map<std::string, Result<AddressList>>;  // a host has several ports

void tryPiece(const TryConnections& request, int first, int last, const KnownHosts& known,
              ConnectionsTried& answer) {
    const Nanos deadline =
        SteadyClock::read() + Millis(std::min(request.timeout_ms(), kMostMilliseconds));
    std::vector<Attempt> attempts;
    attempts.reserve(static_cast<std::size_t>(last - first));
    for (int i = first; i < last; ++i) {
        const ConnectionTarget& target = request.targets(i);
        Attempt& attempt = attempts.emplace_back(target, *answer.mutable_results(i));
        if (const auto& looked = known.at(target.host()); !looked)
            attempt.endUnresolved(looked.error());
        else if (const auto found = resolveBriefly(
                     numericAddress((*looked)->ai_addr, (*looked)->ai_addrlen), target.port()))
            attempt.begin(**found);
    }
    driveAll(attempts, deadline);
}

}  // namespace

ConnectionsTried tryConnections(const TryConnections& request) {
    ConnectionsTried answer;
    const int count = request.targets_size();
    for (int i = 0; i < count; ++i)
        answer.add_results();
    KnownHosts known;
    for (int i = 0; i < count; ++i) {
        const std::string& host = request.targets(i).host();
        if (known.find(host) == known.end()) known.emplace(host, resolveBriefly(host, 0));
    }
    for (int first = 0; first < count; first += kMostAtOnce)
        tryPiece(request, first, std::min(first + kMostAtOnce, count), known, answer);
    return answer;
}

}  // namespace lockstep::wire
