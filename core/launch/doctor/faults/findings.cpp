// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/faults/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/job/cluster_spec.h"
#include "core/launch/doctor/faults/fault_report.h"

namespace lockstep::launch {

namespace {

std::string tomlText(const std::string& text) {
    std::string quoted = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter;
    }
    return quoted + '"';
}

std::string tomlList(const std::vector<config::Address>& addresses) {
    std::string list;
    for (const config::Address& address : addresses)
        list += (list.empty() ? "" : ", ") + tomlText(config::toString(address));
    return "[" + list + "]";
}

std::size_t placeOf(const Examination& all, const std::string& host) {
    const auto at = std::ranges::find(all.hosts, host, &ExaminedHost::name);
    return static_cast<std::size_t>(at - all.hosts.begin());
}

/// What is wrong with a spare, or between it and another host, does not stop the job.
bool concernsSpare(const Examination& all, const HostFinding& finding) {
    return std::ranges::any_of(all.hosts, [&finding](const ExaminedHost& host) {
        return host.isSpare && (host.name == finding.host || host.name == finding.otherHost);
    });
}

}  // namespace

std::string_view toString(Check check) {
    constexpr std::array<std::string_view, kCheckCount> kWords = {
        "ssh",  "build", "clock",  "network", "coordinator",
        "data", "disk",  "memory", "gpu",     "leftovers"};
    return kWords[static_cast<std::size_t>(check)];
}

std::string shellWord(const std::string& text) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
    std::string word = "'";
    for (const char letter : text)
        word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return word + "'";
}

HostFinding& FaultReport::add(const std::string& host, Check check, config::Severity severity,
                              std::string sentence) {
    HostFinding& finding = findings_.emplace_back();
    finding.host = host;
    finding.check = check;
    finding.severity = severity;
    finding.sentence = std::move(sentence);
    return finding;
}

HostFinding& FaultReport::error(const std::string& host, Check check, std::string sentence) {
    return add(host, check, config::Severity::Error, std::move(sentence));
}
HostFinding& FaultReport::warning(const std::string& host, Check check, std::string sentence) {
    return add(host, check, config::Severity::Warning, std::move(sentence));
}
HostFinding& FaultReport::note(const std::string& host, Check check, std::string sentence) {
    return add(host, check, config::Severity::Note, std::move(sentence));
}

std::string FaultReport::on(const std::string& host, const std::string& command) const {
    if (!all_.remote) return command;
    const std::string& file = all_.job.launch.sshConfig;
    const std::string config = file.empty() ? "" : "-F " + shellWord(file) + " ";
    return fmt::format("ssh {}{} {}", config, shellWord(host), shellWord(command));
}

KeyChange FaultReport::withAddress(int process, const config::Address& address,
                                   std::string label) const {
    std::vector<config::Address> addresses = all_.job.cluster.jobAddresses;
    if (static_cast<std::size_t>(process) < addresses.size())
        addresses[static_cast<std::size_t>(process)] = address;
    return {"cluster.job_addresses", tomlList(addresses), std::move(label)};
}

KeyChange FaultReport::withHost(const std::string& name, const std::string& address,
                                std::string label) const {
    std::vector<config::Address> addresses = all_.job.cluster.jobAddresses;
    for (config::Address& one : addresses)
        if (one.host == name) one.host = address;
    return {"cluster.job_addresses", tomlList(addresses), std::move(label)};
}

std::vector<HostFinding> findFaults(const Examination& all) {
    FaultReport report(all);
    findHostFaults(report);
    findFolderFaults(report);
    findGpuFaults(report);
    findPortFaults(report);
    findNameFaults(report);
    findConnectionFaults(report);
    std::vector<HostFinding> findings = report.take();
    for (HostFinding& finding : findings)
        if (finding.severity == config::Severity::Error && concernsSpare(all, finding))
            finding.severity = config::Severity::Warning;
    std::ranges::stable_sort(findings, {}, [&all](const HostFinding& finding) {
        return std::tuple(finding.severity, placeOf(all, finding.host), finding.check);
    });
    return findings;
}

}  // namespace lockstep::launch
