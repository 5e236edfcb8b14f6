// SPDX-License-Identifier: Apache-2.0
// Who does not reach whom, told once for each cause.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/config/job/cluster_spec.h"
#include "core/launch/doctor/faults/fault_report.h"

namespace lockstep::launch {

namespace {

const PortTest& portOf(const Examination& all, const TriedConnection& tried) {
    return all.hosts[tried.to].ports[tried.port];
}

/// Whether `host` knows the name, but no way there.
bool lacksRoute(const ExaminedHost& host, const std::string& name) {
    return host.facts && std::ranges::any_of(host.facts->lookups(), [&](const auto& lookup) {
               return lookup.name() == name && !lookup.address().empty() && lookup.source().empty();
           });
}

/// What a host does not know, or has no route to, is told with its names; so is a silence whose
/// reason is that the answer finds no way back.
bool isToldElsewhere(const Examination& all, const TriedConnection& tried) {
    const ExaminedHost& from = all.hosts[tried.from];
    switch (tried.result.outcome()) {
        case wire::CONNECTION_UNKNOWN_NAME:
            return true;
        case wire::CONNECTION_NO_ROUTE:
            return lacksRoute(from, portOf(all, tried).address.host);
        case wire::CONNECTION_TIMED_OUT:
            return lacksRoute(all.hosts[tried.to], from.address);
        default:
            return false;
    }
}

std::string reasonOf(const TriedConnection& tried) {
    switch (tried.result.outcome()) {
        case wire::CONNECTION_REFUSED:
            return "refused";
        case wire::CONNECTION_TIMED_OUT:
            return "no answer";
        default:
            return tried.result.error();
    }
}

/// "the coordinator (host1:7777)", "host3's port 41007".
std::string targetName(const Examination& all, const TriedConnection& tried) {
    const PortTest& port = portOf(all, tried);
    const std::string address =
        config::toString(config::Address{port.address.host, static_cast<int>(port.opened->port())});
    if (port.purpose == PortPurpose::Coordinator)
        return fmt::format("the coordinator's address {} on {}", address, all.hosts[tried.to].name);
    return fmt::format("{} on {}", address, all.hosts[tried.to].name);
}

/// Of the other end, as the host that is tried sees it; empty: unknown.
std::string sourceOf(const Examination& all, const TriedConnection& tried) {
    if (!tried.result.source().empty()) return tried.result.source();
    const ExaminedHost& from = all.hosts[tried.from];
    if (!from.facts) return {};
    for (const wire::NameLookup& lookup : from.facts->lookups())
        if (lookup.name() == portOf(all, tried).address.host) return lookup.source();
    return {};
}

using Pair = std::pair<std::size_t, std::size_t>;  // from, to

/// The connections of one kind of port that were tried, and those of them that failed.
struct Trials {
    std::set<Pair> tried{};
    std::map<Pair, const TriedConnection*> failed{};

    /// All of the pairs that `chosen` names failed, and there are two at least.
    template <typename Chosen>
    [[nodiscard]] bool allFailed(const Chosen& chosen) const {
        const auto count = std::ranges::count_if(tried, chosen);
        return count >= 2 && std::ranges::all_of(tried, [&](const Pair& pair) {
                   return !chosen(pair) || failed.contains(pair);
               });
    }
    [[nodiscard]] bool nobodyReaches(std::size_t to) const {
        return allFailed([to](const Pair& pair) { return pair.second == to; });
    }
    [[nodiscard]] bool reachesNobody(std::size_t from) const {
        return allFailed([from](const Pair& pair) { return pair.first == from; });
    }
};

/// `graver`: where nothing gets through at all, one port is no news.
Trials trialsOf(const Examination& all, PortPurpose purpose, const Trials* graver) {
    Trials trials;
    for (const TriedConnection& tried : all.connections) {
        const Pair pair{tried.from, tried.to};
        if (portOf(all, tried).purpose != purpose || isToldElsewhere(all, tried) ||
            (graver != nullptr && graver->failed.contains(pair)))
            continue;
        trials.tried.insert(pair);
        if (tried.result.outcome() != wire::CONNECTION_REACHED) trials.failed[pair] = &tried;
    }
    return trials;
}

class ConnectionFaults {
public:
    ConnectionFaults(FaultReport& report, Trials trials, Check check)
        : report_(report), all_(report.all()), trials_(std::move(trials)), check_(check) {}

    void find() {
        for (const auto& [pair, tried] : trials_.failed) {
            const auto [from, to] = pair;
            if (tried->result.outcome() == wire::CONNECTION_STRANGER)
                tellStranger(*tried);
            else if (trials_.nobodyReaches(to))
                tellClosed(to, *tried);
            else if (trials_.reachesNobody(from))
                tellShutIn(from, *tried);
            else
                tellPair(pair, *tried);
        }
    }

private:
    [[nodiscard]] const std::string& name(std::size_t host) const { return all_.hosts[host].name; }

    void tellStranger(const TriedConnection& tried) {
        if (!told_.insert({tried.to, tried.to}).second) return;
        HostFinding& finding =
            report_.error(name(tried.to), check_,
                          fmt::format("{} reaches somebody else at {}: {}", name(tried.from),
                                      targetName(all_, tried), tried.result.error()));
        finding.otherHost = name(tried.from);
        finding.advice =
            "The address belongs to another machine, or something between them takes "
            "the connection. Write the address that this host has.";
        finding.command = report_.on(name(tried.to), "ip -brief address");
    }

    void tellClosed(std::size_t to, const TriedConnection& tried) {
        if (!told_.insert({to, to}).second) return;
        HostFinding& finding = report_.error(
            name(to), check_,
            fmt::format("no other host reaches {}: {}", targetName(all_, tried), reasonOf(tried)));
        const PortTest& port = portOf(all_, tried);
        const bool fixedPort = port.address.port != 0;
        finding.advice = fixedPort
                             ? fmt::format(
                                   "Let {} take connections at this port: a firewall turns them "
                                   "away.",
                                   name(to))
                             : fmt::format(
                                   "Let {} take connections from the other hosts: a firewall "
                                   "turns them away.",
                                   name(to));
        finding.command = report_.on(
            name(to), fixedPort ? fmt::format("sudo iptables -I INPUT -p tcp --dport {} -j ACCEPT",
                                              port.address.port)
                                : openTo(tried));
    }

    void tellShutIn(std::size_t from, const TriedConnection& tried) {
        if (!told_.insert({from, from}).second) return;
        HostFinding& finding =
            report_.error(name(from), check_,
                          fmt::format("{} reaches no other host: to {}: {}", name(from),
                                      targetName(all_, tried), reasonOf(tried)));
        finding.advice = "Let it make connections: a firewall on it, or its network, stops them.";
        finding.command = report_.on(name(from), "sudo iptables -I OUTPUT -p tcp -j ACCEPT");
    }

    void tellPair(const Pair& pair, const TriedConnection& tried) {
        const auto [from, to] = pair;
        if (!told_.insert({std::min(from, to), std::max(from, to)}).second) return;
        const bool both = trials_.failed.contains({to, from});
        HostFinding& finding = report_.error(
            name(from), check_,
            both ? fmt::format("{} and {} do not reach each other ({}): {}", name(from), name(to),
                               targetName(all_, tried), reasonOf(tried))
                 : fmt::format("{} does not reach {}: {}", name(from), targetName(all_, tried),
                               reasonOf(tried)));
        finding.otherHost = name(to);
        finding.advice = fmt::format(
            "Let {} take connections from {}, and look for a firewall "
            "between them.",
            name(to), name(from));
        finding.command = report_.on(name(to), openTo(tried));
    }

    [[nodiscard]] std::string openTo(const TriedConnection& tried) const {
        const std::string source = sourceOf(all_, tried);
        return source.empty()
                   ? std::string("sudo iptables -I INPUT -p tcp -j ACCEPT")
                   : fmt::format("sudo iptables -I INPUT -p tcp -s {} -j ACCEPT", source);
    }

    FaultReport& report_;
    const Examination& all_;
    const Trials trials_;
    const Check check_;
    std::set<Pair> told_;
};

}  // namespace

void findConnectionFaults(FaultReport& report) {
    const Examination& all = report.all();
    const Trials data = trialsOf(all, PortPurpose::Data, nullptr);
    ConnectionFaults(report, data, Check::Network).find();
    ConnectionFaults(report, trialsOf(all, PortPurpose::Coordinator, &data), Check::Coordinator)
        .find();
    ConnectionFaults(report, trialsOf(all, PortPurpose::Process, &data), Check::Network).find();
}

}  // namespace lockstep::launch
