// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/faults/check_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/plural.h"
#include "core/config/job/cluster_spec.h"
#include "core/launch/doctor/faults/data_faults.h"
#include "core/launch/doctor/faults/needs.h"

namespace lockstep::launch {

namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr double kMebibyte = 1024.0 * 1024.0;

struct Words {
    std::string word;
    std::string detail;
};

std::string bytesText(std::uint64_t bytes) {
    const auto figure = static_cast<double>(bytes);
    if (figure >= 10 * kGibibyte) return fmt::format("{:.0f} GiB", figure / kGibibyte);
    if (figure >= kGibibyte) return fmt::format("{:.1f} GiB", figure / kGibibyte);
    return fmt::format("{:.0f} MiB", figure / kMebibyte);
}

/// As often is told in hundreds of milliseconds, rarely in hours.
std::string durationText(double seconds) {
    const double size = std::abs(seconds);
    if (size < 1) return fmt::format("{:.0f} ms", size * 1000);
    if (size < 120) return fmt::format("{:.1f} s", size);
    return fmt::format("{:.0f} min", size / 60);
}

Words buildWords(const wire::HostFacts& facts) {
    return {"same", fmt::format("Build {}, glibc {}, {}, Linux {}.", facts.build(), facts.glibc(),
                                facts.architecture(), facts.kernel())};
}

Words clockWords(const ClockOffset& clock) {
    return {
        durationText(clock.seconds),
        fmt::format("{} {} this machine's clock, ± {}.", durationText(clock.seconds),
                    clock.seconds < 0 ? "behind" : "ahead of", durationText(clock.uncertainty))};
}

const wire::NameLookup* lookupOf(const wire::HostFacts& facts, const std::string& name) {
    for (const wire::NameLookup& lookup : facts.lookups())
        if (lookup.name() == name) return &lookup;
    return nullptr;
}

/// "host2 (10.77.0.2) by eth0, directly".
std::string routeText(const wire::NameLookup& lookup) {
    const std::string number =
        lookup.address() == lookup.name() ? "" : " (" + lookup.address() + ")";
    return fmt::format("{}{} by {}, {}", lookup.name(), number, lookup.interface(),
                       lookup.gateway().empty() ? "which is in its network"
                                                : "through the gateway " + lookup.gateway());
}

Words networkWords(const Examination& all, std::size_t at) {
    const ExaminedHost& host = all.hosts[at];
    std::string detail;
    std::set<std::string> interfaces;
    for (const ExaminedHost& other : all.hosts) {
        const wire::NameLookup* lookup = lookupOf(*host.facts, other.address);
        if (&other == &host || lookup == nullptr || lookup->interface().empty()) continue;
        detail += "Reaches " + routeText(*lookup) + ".\n";
        interfaces.insert(lookup->interface());
    }
    std::string names;
    for (const std::string& name : interfaces)
        names += (names.empty() ? "" : ",") + name;
    if (!names.empty())
        detail += fmt::format(
            "So for NCCL and Gloo it is NCCL_SOCKET_IFNAME={} and GLOO_SOCKET_IFNAME={}.", names,
            names);
    else
        detail = "No other host needs to be reached.";
    const auto reached = std::ranges::count_if(all.connections, [at](const TriedConnection& one) {
        return one.from == at && one.result.outcome() == wire::CONNECTION_REACHED;
    });
    if (reached > 0)
        detail += fmt::format("\n{} to other hosts made.", counted(reached, "connection"));
    return {names.empty() ? "local" : names, detail};
}

Words coordinatorWords(const Examination& all, std::size_t at) {
    for (const PortTest& port : all.hosts[at].ports)
        if (port.purpose == PortPurpose::Coordinator)
            return {
                "free",
                fmt::format("The coordinator can listen at {}{}.", config::toString(port.address),
                            port.address.port == 0 ? "; the system chooses the port" : "")};
    for (const TriedConnection& tried : all.connections)
        if (tried.from == at &&
            all.hosts[tried.to].ports[tried.port].purpose == PortPurpose::Coordinator)
            return {fmt::format("{:.1f} ms", tried.result.milliseconds()),
                    fmt::format("Reaches the coordinator's port on {} in {:.1f} ms.",
                                all.hosts[tried.to].name, tried.result.milliseconds())};
    return {"–", "Nothing to try."};
}

Words dataWords(const Examination& all, const wire::DataFacts& data) {
    if (all.job.data.dataset.empty()) return {"none", "The job names no data."};
    if (!data.needed())
        return {"built in", "This dataset is generated; nothing needs to be there."};
    return {"same", fmt::format("{} in {}, fingerprint {}.", bytesText(data.bytes()),
                                dataPlacesText(all), data.fingerprint())};
}

Words diskWords(const Examination& all, const wire::FolderFacts& folder) {
    return {bytesText(folder.free_bytes()),
            fmt::format("{} free for the run folder {} on {}{}; the job needs about {}.",
                        bytesText(folder.free_bytes()), folder.path(), folder.filesystem(),
                        folder.shared() ? ", which this machine sees, too" : "",
                        bytesText(diskNeedOf(all)))};
}

Words memoryWords(const Examination& all, const ExaminedHost& host) {
    const wire::HostFacts& facts = *host.facts;
    return {
        bytesText(facts.memory_available_bytes()),
        fmt::format("{} of {} free, {}. Its part of the job needs about {}.",
                    bytesText(facts.memory_available_bytes()), bytesText(facts.memory_bytes()),
                    counted(facts.processors(), "processor"), bytesText(memoryNeedOf(all, host)))};
}

Words gpuWords(const wire::GpuFacts& gpu) {
    if (gpu.state() != "usable")
        return {"none", gpu.sentence() + (gpu.sentence().empty() ? "" : ".") +
                            (gpu.remedy().empty() ? "" : "\n" + gpu.remedy())};
    std::string detail = gpu.sentence() + ".";
    for (const wire::GpuFigures& one : gpu.gpus())
        detail += fmt::format("\n{}: {} of {} used, {:.0f} % of its time.", one.name(),
                              bytesText(one.used_bytes()), bytesText(one.total_bytes()),
                              one.compute_percent());
    return {fmt::format("{}", gpu.gpus_size()), detail};
}

Words wordsOf(const Examination& all, std::size_t at, Check check) {
    const ExaminedHost& host = all.hosts[at];
    switch (check) {
        case Check::Ssh:
            return {"ok", all.remote ? fmt::format("Connected as {}; it calls itself {}.",
                                                   host.facts ? host.facts->user() : "",
                                                   host.facts ? host.facts->host() : "")
                                     : "This machine."};
        case Check::Build:
            return buildWords(*host.facts);
        case Check::Clock:
            return clockWords(*host.clock);
        case Check::Network:
            return networkWords(all, at);
        case Check::Coordinator:
            return coordinatorWords(all, at);
        case Check::Data:
            return dataWords(all, host.facts->data());
        case Check::Disk:
            return diskWords(all, host.facts->run_folder());
        case Check::Memory:
            return memoryWords(all, host);
        case Check::Gpu:
            return gpuWords(host.facts->gpu());
        case Check::Leftovers:
            return {"none", "No process of Lockstep runs there."};
    }
    return {};
}

/// Whether what the check needs has arrived.
bool isKnown(const Examination& all, const ExaminedHost& host, Check check) {
    switch (check) {
        case Check::Ssh:
            return host.state == HostState::Examining || host.state == HostState::Done;
        case Check::Clock:
            return host.clock.has_value();
        case Check::Network:
        case Check::Coordinator:
            return host.facts && (host.state == HostState::Done || all.finished);
        default:
            return host.facts.has_value();
    }
}

bool applies(const Examination& all, const ExaminedHost& host, Check check) {
    if (check == Check::Gpu) return all.job.cluster.device != config::DeviceKind::Cpu;
    if (check == Check::Ssh || check == Check::Clock) return all.remote;
    if (check == Check::Coordinator) return !host.ports.empty() || all.remote;
    return true;
}

CellState stateOf(config::Severity severity) {
    switch (severity) {
        case config::Severity::Error:
            return CellState::Failure;
        case config::Severity::Warning:
            return CellState::Warning;
        case config::Severity::Note:
            break;
    }
    return CellState::Note;
}

const char* troubleWord(Check check, CellState state) {
    if (state == CellState::Note) return "note";
    if (check == Check::Leftovers) return "running";
    return state == CellState::Failure ? "fails" : "look";
}

}  // namespace

CheckCell cellOf(const Examination& all, const std::vector<HostFinding>& findings, std::size_t at,
                 Check check) {
    const ExaminedHost& host = all.hosts[at];
    CheckCell cell;
    const bool known = isKnown(all, host, check);
    if (known) {
        const Words words = wordsOf(all, at, check);
        cell = {CellState::Ok, words.word, words.detail};
    }
    std::string sentences;
    CellState worst = CellState::Ok;
    for (const HostFinding& finding : findings) {
        if (finding.host != host.name || finding.check != check) continue;
        worst = std::max(worst, stateOf(finding.severity));
        sentences += finding.sentence + ".\n";
    }
    if (worst != CellState::Ok) return {worst, troubleWord(check, worst), sentences + cell.detail};
    if (!applies(all, host, check))
        return {CellState::NotApplicable, "–", "Not asked by this job."};
    if (known) return cell;
    if (host.state == HostState::Failed || all.finished)
        return {CellState::Unknown, "?", "Not known: the host was not reached."};
    const bool running = host.state == HostState::Connecting || host.state == HostState::Examining;
    return {running ? CellState::Running : CellState::Pending, running ? "…" : "", host.progress};
}

}  // namespace lockstep::launch
