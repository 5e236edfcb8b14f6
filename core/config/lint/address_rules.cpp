// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/address_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/job/cluster_spec.h"

namespace lockstep::config {

namespace {

constexpr int kFirstUnprivilegedPort = 1024;
constexpr PortRange kLinuxDefault = {32768, 60999};
constexpr std::size_t kMostNamed = 4;

PortRange readEphemeralPorts() {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        std::fopen("/proc/sys/net/ipv4/ip_local_port_range", "re"), &std::fclose);
    PortRange range;
    const bool read =
        file != nullptr && std::fscanf(file.get(), "%d %d", &range.first, &range.last) == 2;
    return read ? range : kLinuxDefault;
}

void checkPort(const Address& address, std::size_t index, std::vector<AddressProblem>& problems) {
    const PortRange ephemeral = ephemeralPorts();
    if (address.port < kFirstUnprivilegedPort)
        problems.push_back(
            {Severity::Warning, index,
             fmt::format("is {}, a port below {} that only root may open", toString(address),
                         kFirstUnprivilegedPort),
             fmt::format("Use a port from {} to 65535, or 0.", kFirstUnprivilegedPort)});
    else if (address.port >= ephemeral.first && address.port <= ephemeral.last)
        problems.push_back(
            {Severity::Warning, index,
             fmt::format("is {}, a port from {} to {}, which systems give to other programs'"
                         " connections: it may be taken when the job starts",
                         toString(address), ephemeral.first, ephemeral.last),
             fmt::format("Use a port from {} to {}, or 0.", kFirstUnprivilegedPort,
                         ephemeral.first - 1)});
}

}  // namespace

PortRange ephemeralPorts() {
    static const PortRange kRange = readEphemeralPorts();
    return kRange;
}

std::vector<AddressProblem> addressProblems(const std::vector<Address>& addresses) {
    std::vector<AddressProblem> problems;
    std::map<std::string, std::size_t> firstUse;
    const bool elsewhere = std::any_of(addresses.begin(), addresses.end(),
                                       [](const Address& a) { return !isLoopback(a.host); });
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const Address& address = addresses[i];
        if (elsewhere && isLoopback(address.host))
            problems.push_back(
                {Severity::Error, i,
                 fmt::format("is {}, which other hosts of this job cannot reach",
                             toString(address)),
                 "Write the name or the address by which the other hosts know this one."});
        if (address.port == 0) continue;
        const auto [first, isNew] = firstUse.emplace(toString(address), i);
        if (isNew)
            checkPort(address, i, problems);
        else
            problems.push_back(
                {Severity::Error, i,
                 fmt::format("is {}, which process {} has already", toString(address),
                             first->second),
                 "Give every process an address of its own; port 0 lets the system choose."});
    }
    return problems;
}

std::optional<AddressProblem> evaluatorProblem(const std::vector<Address>& addresses,
                                               const Address& evaluator) {
    if (evaluator.port == 0) return std::nullopt;
    const auto same = std::find(addresses.begin(), addresses.end(), evaluator);
    if (same == addresses.end()) return std::nullopt;
    return AddressProblem{
        Severity::Error, 0,
        fmt::format("is {}, which is the address of process {}", toString(evaluator),
                    same - addresses.begin()),
        "The evaluator is a process of its own: give it its own port, or write true."};
}

std::string unevenHosts(const std::vector<std::string>& hosts) {
    std::vector<std::pair<std::string, int>> counts;
    std::map<std::string, std::size_t> places;
    for (const std::string& host : hosts) {
        const auto [place, isNew] = places.emplace(host, counts.size());
        if (isNew) counts.emplace_back(host, 0);
        ++counts[place->second].second;
    }
    const bool even = std::all_of(counts.begin(), counts.end(), [&counts](const auto& count) {
        return count.second == counts.front().second;
    });
    if (even) return {};
    std::string text;
    for (std::size_t i = 0; i < counts.size() && i < kMostNamed; ++i)
        text +=
            fmt::format("{}{} has {}", text.empty() ? "" : ", ", sanitizeLine(counts[i].first, 80),
                        counted(counts[i].second, "process"));
    return counts.size() > kMostNamed ? text + ", …" : text;
}

}  // namespace lockstep::config
