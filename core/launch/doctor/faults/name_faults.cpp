// SPDX-License-Identifier: Apache-2.0
// Names that hosts do not know or know differently, missing routes, proxies.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/config/job/cluster_spec.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/launch/doctor/faults/fault_report.h"

namespace lockstep::launch {

namespace {

bool isNumeric(const std::string& name) {
    return name.find(':') != std::string::npos ||
           name.find_first_not_of("0123456789.") == std::string::npos;
}

/// The host of the job that a name of its addresses means; null: none (an evaluator elsewhere).
const ExaminedHost* hostOf(const Examination& all, const std::string& name) {
    for (const ExaminedHost& host : all.hosts) {
        if (host.address == name) return &host;
        for (const PortTest& port : host.ports)
            if (port.address.host == name) return &host;
    }
    return nullptr;
}

/// What the name means to those that know it, and is not of one machine alone.
std::string addressKnownFor(const Examination& all, const std::string& name) {
    for (const ExaminedHost& host : all.hosts) {
        if (!host.facts) continue;
        for (const wire::NameLookup& lookup : host.facts->lookups())
            if (lookup.name() == name && !lookup.address().empty() &&
                !config::isLoopback(lookup.address()))
                return lookup.address();
    }
    return {};
}

/// The first address of a host that others could reach it at.
std::string anyAddressOf(const ExaminedHost* host) {
    if (host == nullptr || !host->facts) return {};
    for (const wire::NetworkInterface& one : host->facts->interfaces())
        if (!one.loopback() && one.address().find(':') == std::string::npos) return one.address();
    return {};
}

void findUnknownName(const ExaminedHost& host, const wire::NameLookup& lookup,
                     FaultReport& report) {
    const std::string& name = lookup.name();
    const ExaminedHost* meant = hostOf(report.all(), name);
    const bool isSpare = meant != nullptr && meant->isSpare;
    HostFinding& finding = report.error(
        host.name, Check::Network,
        fmt::format("{} does not know the name \"{}\" of {}: {}", host.name, name,
                    isSpare ? "launch.spares" : "cluster.job_addresses", lookup.error()));
    std::string address = addressKnownFor(report.all(), name);
    if (address.empty()) address = anyAddressOf(meant);
    if (address.empty()) {
        finding.advice = "Write a name that every host knows, or a number.";
        finding.command = report.on(host.name, "getent hosts " + shellWord(name));
        return;
    }
    finding.advice = "Tell this host the name, or write the number in the job.";
    finding.command =
        report.on(host.name, fmt::format("echo '{} {}' | sudo tee -a /etc/hosts", address, name));
    if (isSpare) return;
    finding.change = report.withHost(name, address, fmt::format("Use {} for {}", address, name));
}

/// Debian writes 127.0.1.1 for a machine's own name: who listens there is reached by nobody else.
void findOwnLoopback(const ExaminedHost& host, const wire::NameLookup& lookup,
                     FaultReport& report) {
    const std::string address = anyAddressOf(&host);
    HostFinding& finding = report.error(
        host.name, Check::Network,
        fmt::format("{} takes its own name \"{}\" for {}, where other hosts cannot reach it",
                    host.name, lookup.name(), lookup.address()));
    finding.advice = "Name its network address in /etc/hosts, or in the job.";
    finding.command = report.on(
        host.name, fmt::format("sudo sed -i '/[[:space:]]{}\\b/s/^127[0-9.]*/{}/' /etc/hosts",
                               lookup.name(), address.empty() ? "ADDRESS" : address));
    if (!address.empty() && !host.isSpare)
        finding.change = report.withHost(lookup.name(), address,
                                         fmt::format("Use {} for {}", address, lookup.name()));
}

std::string networkOf(const wire::NetworkInterface& interface) {
    return fmt::format("{}/{}", interface.address(), interface.prefix());
}

void findNoRoute(const ExaminedHost& host, const wire::NameLookup& lookup, FaultReport& report) {
    const bool number = lookup.name() == lookup.address();
    HostFinding& finding =
        report.error(host.name, Check::Network,
                     fmt::format("{} has no route to {}{}: {}", host.name, lookup.name(),
                                 number ? "" : " (" + lookup.address() + ")", lookup.error()));
    if (const ExaminedHost* other = hostOf(report.all(), lookup.name()))
        finding.otherHost = other->name;
    const auto& interfaces = host.facts->interfaces();
    const auto own = std::ranges::find_if(interfaces, [](const wire::NetworkInterface& one) {
        return !one.loopback() && one.address().find(':') == std::string::npos;
    });
    finding.advice = own == interfaces.end()
                         ? "Connect it to a network that the others are in."
                         : fmt::format(
                               "It has {} ({}); look at `ip route get {}` there, and give "
                               "it a route.",
                               own->name(), networkOf(*own), lookup.address());
    finding.command = report.on(host.name, own == interfaces.end()
                                               ? std::string("ip -brief address")
                                               : fmt::format("sudo ip route replace {} dev {}",
                                                             lookup.address(), own->name()));
}

void findLookupFaults(const ExaminedHost& host, FaultReport& report) {
    for (const wire::NameLookup& lookup : host.facts->lookups()) {
        const ExaminedHost* meant = hostOf(report.all(), lookup.name());
        if (lookup.address().empty())
            findUnknownName(host, lookup, report);
        else if (lookup.source().empty())
            findNoRoute(host, lookup, report);
        else if (report.all().hosts.size() > 1 && meant == &host &&
                 config::isLoopback(lookup.address()) && !config::isLoopback(lookup.name()))
            findOwnLoopback(host, lookup, report);
    }
    const auto asked = static_cast<int>(hostNames(report.all().job).size());
    const int examined = host.facts->lookups_size();
    if (examined >= kMostNames && asked > examined)
        report.note(host.name, Check::Network,
                    fmt::format("of the job's {} names {} looks up only the first {}", asked,
                                host.name, examined));
}

/// A name that means different machines to different hosts.
void findDifferentMeanings(FaultReport& report) {
    const Examination& all = report.all();
    for (const std::string& name : hostNames(all.job)) {
        if (isNumeric(name)) continue;
        const ExaminedHost* first = nullptr;
        std::string address;
        for (const ExaminedHost& host : all.hosts) {
            if (!host.facts) continue;
            for (const wire::NameLookup& lookup : host.facts->lookups()) {
                if (lookup.name() != name || lookup.address().empty() ||
                    config::isLoopback(lookup.address()))
                    continue;
                if (first == nullptr) {
                    first = &host;
                    address = lookup.address();
                } else if (lookup.address() != address) {
                    HostFinding& finding = report.warning(
                        host.name, Check::Network,
                        fmt::format("\"{}\" is {} on {} and {} on {}", name, lookup.address(),
                                    host.name, address, first->name));
                    finding.otherHost = first->name;
                    finding.advice =
                        "Where these are one machine, nothing needs to be done; else "
                        "correct /etc/hosts, or write the number in the job.";
                    finding.command = report.on(host.name, "getent hosts " + shellWord(name));
                }
            }
        }
    }
}

/// Whether no_proxy excepts the name: as it is, or by an ending that begins with a dot.
bool isExcepted(const std::string& name, const wire::HostFacts& facts) {
    return std::ranges::any_of(facts.unproxied(), [&name](const std::string& word) {
        if (word == "*" || word == name) return true;
        return !word.empty() && name.ends_with(word.starts_with('.') ? word : "." + word);
    });
}

void findProxy(const ExaminedHost& host, FaultReport& report) {
    const wire::HostFacts& facts = *host.facts;
    std::string caught;
    for (const std::string& name : hostNames(report.all().job))
        if (!config::isLoopback(name) && !isExcepted(name, facts))
            caught += (caught.empty() ? "" : ",") + name;
    if (facts.proxies().empty() || caught.empty()) return;
    const std::vector<std::string> names(facts.proxies().begin(), facts.proxies().end());
    HostFinding& finding = report.warning(
        host.name, Check::Network,
        fmt::format("{} {} set on {}, and no_proxy does not except the job's hosts: programs that "
                    "use gRPC (JAX, TensorFlow) send what is for other processes to the proxy",
                    joinWords(names), names.size() == 1 ? "is" : "are", host.name));
    finding.advice =
        "Lockstep's own connections take no proxy. For other programs except the "
        "job's hosts.";
    finding.command = report.on(
        host.name, fmt::format("echo 'no_proxy={}' | sudo tee -a /etc/environment", caught));
}

}  // namespace

void findNameFaults(FaultReport& report) {
    for (const ExaminedHost& host : report.all().hosts) {
        if (!host.facts) continue;
        findLookupFaults(host, report);
        findProxy(host, report);
    }
    findDifferentMeanings(report);
}

}  // namespace lockstep::launch
