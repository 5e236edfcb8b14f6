// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/server/monitor_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/plural.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kShowInterval = 20ms;        // how far monitors lag behind the writers
constexpr std::size_t kMostAdmitted = 4096;  // keys of those who came back to a run

}  // namespace

MonitorDesk::MonitorDesk(std::string runId, wire::Authenticator& authenticator,
                         telemetry::JournalWriter& writer, telemetry::JournalReader reader,
                         std::function<void()> wake)
    : runId_(std::move(runId)),
      authenticator_(authenticator),
      writer_(writer),
      history_(std::move(reader), std::move(wake)),
      lastLease_(SteadyClock::read().count()) {}

Result<void> MonitorDesk::listen(const wire::Context& context, const std::filesystem::path& socket,
                                 const wire::KeyPair& keys) {
    auto bound = wire::ServerSocket::bind(context, "ipc://" + socket.string(), keys);
    if (!bound) return failWithin("opening the monitors' socket", std::move(bound.error()));
    socket_ = std::move(*bound);
    return {};
}

Result<void> MonitorDesk::receive(CoordinatorCore& core, Instant at, int most) {
    for (int count = 0; count < most; ++count) {
        auto incoming = socket_->receive();
        if (!incoming) return fail(std::move(incoming.error()));
        if (!*incoming) break;
        take(**incoming, core, at);
    }
    return {};
}

void MonitorDesk::take(const wire::Incoming& incoming, CoordinatorCore& core, Instant at) {
    const auto message = wire::decode<wire::FromMonitor>(incoming.bytes);
    if (!message) {
        ++core.counters().malformed;
        return;
    }
    if (incoming.userId != kMonitorUser || message->run_id() != runId_) {
        ++core.counters().foreign;
        return reply(incoming.routingId, incoming.userId != kMonitorUser
                                             ? "this key may not watch the run"
                                             : fmt::format("run '{}' is served here", runId_));
    }
    switch (message->body_case()) {
        case wire::FromMonitor::kFollow:
            return feed_.follow(incoming.routingId, message->follow());
        case wire::FromMonitor::kCredit:
            return feed_.grant(incoming.routingId, message->credit().bytes());
        case wire::FromMonitor::kStop:
            return core.requestStop(at);
        case wire::FromMonitor::kKill:
            return core.requestKill(at);
        case wire::FromMonitor::kWaitLonger:
            return core.waitLonger(at);
        case wire::FromMonitor::kDrill:
            return core.drill(message->drill(), at);
        case wire::FromMonitor::kLease:
            lastLease_ = at.now.count();
            return;
        case wire::FromMonitor::kAdmit:
            return reply(incoming.routingId, admit(message->admit().public_key()));
        default:
            ++core.counters().malformed;
    }
}

/// Why the key is not admitted; empty when it is.
std::string MonitorDesk::admit(const std::string& publicKey) {
    if (!admitted_.contains(publicKey) && admitted_.size() >= kMostAdmitted)
        return counted(kMostAdmitted, "monitor") + " have been admitted already";
    const auto allowed = authenticator_.allow(publicKey, kMonitorUser);
    if (!allowed) return allowed.error().message;
    admitted_.insert(publicKey);
    return {};
}

void MonitorDesk::reply(const std::string& connection, const std::string& error) {
    wire::FromCoordinator message;
    message.set_run_id(runId_);
    message.mutable_reply()->set_error(error);
    const auto bytes = wire::encode(std::move(message));
    if (bytes) std::ignore = socket_->send(connection, *bytes);  // it asks again if it is lost
}

void MonitorDesk::show(Nanos now) {
    if (now - lastShown_ < kShowInterval) return;
    lastShown_ = now;
    showAll();
}

/// What is not in the file yet, and some of what is, comes from memory.
bool MonitorDesk::feed() {
    const auto read = [this](std::uint64_t offset,
                             std::size_t maxBytes) -> std::optional<Result<std::string>> {
        const std::size_t most = std::min<std::uint64_t>(maxBytes, shownEnd_ - offset);
        if (auto recent = writer_.recent(offset, most)) return std::move(*recent);
        return history_.take(offset, most);
    };
    const auto send = [this](const std::string& connection, wire::FromCoordinator message) {
        message.set_run_id(runId_);
        const auto bytes = wire::encode(std::move(message));
        if (!bytes) return wire::Sent::Gone;
        return socket_->send(connection, *bytes).value_or(wire::Sent::Gone);
    };
    return feed_.pump(shownEnd_, read, send);
}

bool MonitorDesk::unread(bool awaitFirst) const {
    return !feed_.idle(shownEnd_) || (awaitFirst && feed_.monitors() == 0);
}

Nanos MonitorDesk::sinceLeaseRenewal() const {
    return SteadyClock::read() - Nanos(lastLease_.load());
}

}  // namespace lockstep::coordination
