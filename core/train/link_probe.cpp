// SPDX-License-Identifier: Apache-2.0
#include "core/train/link_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/thread.h"
#include "core/wire/connections.h"
#include "core/wire/echo_listener.h"
#include "core/wire/socket_address.h"

namespace lockstep::train {

namespace {

using namespace std::chrono_literals;

constexpr Nanos kToListen = 1500ms;    // until all have said where they listen
constexpr Millis kToConnect = 2000ms;  // a lost first packet is sent again after one second
constexpr Nanos kToBeReached = 5s;     // by whoever has heard the question later
constexpr Nanos kTick = 50ms;

std::string keyOf(const wire::ProbeLinks& question, std::uint32_t process) {
    return fmt::format("links/{}/{}", question.number(), process);
}

/// As a number, since the others may know a name as another address.
std::string numericOf(const std::string& host) {
    const auto found = wire::resolveBriefly(host, 0);
    return found ? wire::numericAddress((*found)->ai_addr, (*found)->ai_addrlen) : host;
}

std::unique_ptr<wire::EchoListener> listenAt(const std::string& host,
                                             wire::ConnectionTarget& here) {
    wire::OpenListener wanted;
    wanted.set_address(numericOf(host));
    wanted.set_token(randomHex(wire::kEchoTokenBytes / 2));
    wire::ListenerOpened opened;
    auto listener = wire::EchoListener::open(wanted, opened);
    here.set_host(wanted.address());
    here.set_port(opened.port());
    here.set_token(wanted.token());
    return listener;
}

struct Peer {
    std::uint32_t process = 0;
    wire::ConnectionTarget target;
};

/// Those who have said in time where they listen. A store that is slow to say that one has not
/// costs the rest: behind `until` they would not be reached any more.
std::vector<Peer> peersOf(collective::Store& store, const wire::ProbeLinks& question,
                          std::uint32_t process, Nanos until, const std::stop_token& stop) {
    const Nanos deadline = SteadyClock::read() + kToListen;
    std::vector<Peer> peers;
    for (const std::uint32_t other : question.processes()) {
        if (other == process) continue;
        if (stop.stop_requested() || SteadyClock::read() >= until) break;
        const Nanos left = std::max<Nanos>(deadline - SteadyClock::read(), 1ms);
        const auto said = store.get(keyOf(question, other), left);
        Peer peer{other, {}};
        if (said && peer.target.ParseFromString(*said)) peers.push_back(std::move(peer));
    }
    return peers;
}

wire::LinkReport tryAll(const std::vector<Peer>& peers) {
    wire::TryConnections request;
    request.set_timeout_ms(static_cast<std::uint32_t>(kToConnect.count()));
    for (const Peer& peer : peers)
        *request.add_targets() = peer.target;
    const wire::ConnectionsTried tried = wire::tryConnections(request);
    wire::LinkReport report;
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const bool reached =
            tried.results(static_cast<int>(i)).outcome() == wire::CONNECTION_REACHED;
        (reached ? report.mutable_reached() : report.mutable_unreached())->Add(peers[i].process);
    }
    return report;
}

}  // namespace

void probeLinks(collective::Store& store, const wire::ProbeLinks& question, std::uint32_t process,
                const std::string& host, const std::function<void(wire::LinkReport)>& report,
                const std::stop_token& stop) {
    const Nanos deadline = SteadyClock::read() + kToBeReached;
    wire::ConnectionTarget here;
    const auto listener = listenAt(host, here);
    if (listener != nullptr)
        std::ignore = store.set(keyOf(question, process), here.SerializeAsString());
    wire::LinkReport found = tryAll(peersOf(store, question, process, deadline - kToConnect, stop));
    found.set_process_id(process);
    found.set_number(question.number());
    report(std::move(found));
    // The others may still try this process: its listener stays, which nobody tells when all have.
    while (!stop.stop_requested() && SteadyClock::read() < deadline)
        std::this_thread::sleep_for(kTick);
}

void LinkProbe::begin(const wire::ProbeLinks& question) {
    Lock lock(mutex_);
    if (isOver_ || isBusy_.exchange(true)) return;
    thread_ = startThread("link-probe", [this, question](const std::stop_token& stop) {
        probe_(question, stop);
        isBusy_.store(false);
    });
}

void LinkProbe::end() {
    std::jthread last;
    {
        Lock lock(mutex_);
        isOver_ = true;
        last = std::move(thread_);
    }
}

}  // namespace lockstep::train
