// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/link_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/thread.h"
#include "core/launch/host/host_answer.h"
#include "core/wire/codec.h"

namespace lockstep::launch {

namespace {

constexpr int kRenewalsPerLease = 4;
constexpr Millis kPumpSlice{100};
constexpr int kMessagesPerTurn = 64;
constexpr std::size_t kMostWaiting = 1000;
constexpr Millis kWaitingSlice{20};

}  // namespace

std::size_t LinkSet::add(std::unique_ptr<HostLink> link) {
    const std::string host = link->host();
    members_.push_back({host, std::move(link), std::nullopt, SteadyClock::read()});
    return members_.size() - 1;
}

void LinkSet::close(std::size_t index) {
    Member& member = members_[index];
    if (!member.link) return;
    member.error = Error{ErrorCode::Cancelled, "the connection was closed", ""};
    member.link.reset();
}

void LinkSet::breakLink(std::size_t index, Error error) {
    Member& member = members_[index];
    if (!member.link) return;
    member.error = std::move(error);
    closeAside(std::move(member.link));
}

/// The end of a link takes seconds; the other links must not wait for it.
void LinkSet::closeAside(std::unique_ptr<HostLink> link) {
    auto closing = std::make_shared<std::unique_ptr<HostLink>>(std::move(link));
    closing_.push_back(
        startThread("closing", [closing](const std::stop_token&) { closing->reset(); }));
}

void LinkSet::tell(std::size_t index, wire::ToHost message) {
    Member& member = members_[index];
    if (!member.link) return;
    message.set_protocol(wire::kProtocol);
    member.waiting.push_back(std::move(message));
    sendWaiting(index);
}

/// What a host does not take now goes out when the links are pumped: the others' leases must not
/// wait for it.
void LinkSet::sendWaiting(std::size_t index) {
    Member& member = members_[index];
    while (member.link && !member.waiting.empty()) {
        const auto sent = member.link->send(member.waiting.front(), Nanos{0});
        const bool isLate = !sent && sent.error().code == ErrorCode::Timeout;
        if (isLate && member.waiting.size() <= kMostWaiting) return;
        if (!sent) return breakLink(index, sent.error());
        member.waiting.pop_front();
        member.renewed = SteadyClock::read();  // whoever says something is there
    }
}

std::uint64_t LinkSet::post(std::size_t index, wire::ToHost request) {
    const std::uint64_t number = ++lastRequest_;
    request.set_request(number);
    pending_[number] = {index, std::nullopt};
    tell(index, std::move(request));
    return number;
}

std::optional<Result<wire::FromHost>> LinkSet::takeAnswer(std::uint64_t request) {
    const auto found = pending_.find(request);
    if (found == pending_.end()) return std::nullopt;
    const std::size_t link = found->second.link;
    if (found->second.answer) {
        wire::FromHost answer = std::move(*found->second.answer);
        pending_.erase(found);
        if (answer.has_error()) return Result<wire::FromHost>(fail(errorOf(answer.error())));
        return Result<wire::FromHost>(std::move(answer));
    }
    if (!members_[link].error) return std::nullopt;
    pending_.erase(found);
    return Result<wire::FromHost>(fail(*members_[link].error));
}

Result<wire::FromHost> LinkSet::ask(std::size_t index, wire::ToHost request, Nanos timeout) {
    const std::uint64_t number = post(index, std::move(request));
    const Nanos deadline = SteadyClock::read() + timeout;
    for (;;) {
        if (auto answer = takeAnswer(number)) return std::move(*answer);
        const Nanos left = deadline - SteadyClock::read();
        if (left <= Nanos::zero()) {
            pending_.erase(number);
            return fail(ErrorCode::Timeout, "the host's service does not answer");
        }
        pump(std::min<Nanos>(left, kPumpSlice));
    }
}

std::deque<LinkSet::News> LinkSet::takeNews() {
    return std::exchange(news_, {});
}

void LinkSet::renewLeases(Nanos now) {
    wire::ToHost renewal;
    renewal.mutable_lease();
    for (std::size_t i = 0; i < members_.size(); ++i) {
        Member& member = members_[i];
        if (!member.link || now - member.renewed < lease_ / kRenewalsPerLease) continue;
        if (!member.asked) member.asked = now;
        if (member.waiting.empty()) tell(i, renewal);
    }
}

void LinkSet::pump(Nanos timeout, std::vector<pollfd>& others) {
    renewLeases(SteadyClock::read());
    std::vector<pollfd> watched = others;
    for (const Member& member : members_)
        watched.push_back({member.link ? member.link->fd() : -1, POLLIN, 0});
    Nanos wait = std::min<Nanos>(timeout, lease_ / kRenewalsPerLease);
    for (std::size_t i = 0; i < members_.size(); ++i) {
        sendWaiting(i);
        if (members_[i].link && !members_[i].waiting.empty())
            wait = std::min<Nanos>(wait, kWaitingSlice);
    }
    ::poll(watched.data(), watched.size(),
           static_cast<int>(std::chrono::ceil<Millis>(wait).count()));
    for (std::size_t i = 0; i < others.size(); ++i)
        others[i].revents = watched[i].revents;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        receiveFrom(i);
        breakSilent(i);
    }
}

void LinkSet::breakSilent(std::size_t index) {
    Member& member = members_[index];
    if (!mayNotBeSilent_ || !member.link || !member.asked) return;
    if (SteadyClock::read() - *member.asked < lease_) return;
    breakLink(index, {ErrorCode::PeerLost,
                      fmt::format("{}: nothing is heard from the host any more, for {:.3g} s",
                                  member.host, Seconds(lease_).count()),
                      ""});
}

void LinkSet::receiveFrom(std::size_t index) {
    for (int count = 0; count < kMessagesPerTurn && members_[index].link; ++count) {
        auto message = members_[index].link->receive(Nanos{0});
        if (!message) return breakLink(index, message.error());
        if (!*message) return;
        members_[index].asked.reset();
        if ((*message)->request() == 0 && (*message)->has_done()) continue;  // of a renewal
        const auto pending = pending_.find((*message)->request());
        if (pending != pending_.end() && pending->second.link == index)
            pending->second.answer = std::move(**message);
        else
            news_.push_back({index, std::move(**message)});
    }
}

}  // namespace lockstep::launch
