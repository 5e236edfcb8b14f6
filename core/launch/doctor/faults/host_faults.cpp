// SPDX-License-Identifier: Apache-2.0
// Faults of hosts by themselves: ssh, build, clock, memory and limits, leftovers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/base/plural.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/launch/doctor/faults/fault_report.h"
#include "core/launch/doctor/faults/needs.h"

namespace lockstep::launch {

namespace {

constexpr double kToleratedSkewSeconds = 1.0;  ///< Records of hosts are put side by side by time.
constexpr int kOldestGlibcMinor = 36;
constexpr std::uint64_t kFewOpenFiles = 1024;
constexpr double kMebibyte = 1024.0 * 1024.0;

/// The command that a remedy ends with: "Install a key there: ssh-copy-id host2".
std::string commandIn(const std::string& remedy) {
    const std::size_t colon = remedy.rfind(": ");
    if (colon == std::string::npos) return {};
    const std::string command = remedy.substr(colon + 2);
    const bool is = std::ranges::any_of(
        std::array{"ssh ", "ssh-keygen ", "ssh-copy-id ", "ssh-add ", "chmod "},
        [&command](const char* program) { return command.starts_with(program); });
    return is ? command : std::string();
}

/// The same with the job's ssh configuration, for the programs that take one.
std::string withConfig(const std::string& command, const std::string& config) {
    if (config.empty()) return command;
    for (const std::string program : {"ssh ", "ssh-copy-id "})
        if (command.starts_with(program))
            return program + "-F " + shellWord(config) + " " + command.substr(program.size());
    return command;
}

void findLinkFault(const ExaminedHost& host, FaultReport& report) {
    HostFinding& finding = report.error(host.name, Check::Ssh, host.linkError->message);
    finding.advice = host.linkError->remedy;
    // What a host says is read, never run here.
    const bool isHosts = host.wasReached || host.linkError->code == ErrorCode::PeerLost;
    if (!isHosts)
        finding.command = withConfig(commandIn(finding.advice), report.all().job.launch.sshConfig);
    if (finding.advice.empty()) finding.command = report.on(host.name, "true");
}

void findBuildFaults(const ExaminedHost& host, FaultReport& report) {
    const wire::HostFacts& facts = *host.facts;
    const std::string fresh = report.on(host.name, "rm -rf .cache/lockstep");
    const char* const again = "Remove what is there: the next start copies this machine's build.";
    if (facts.build().empty()) {
        HostFinding& finding =
            report.error(host.name, Check::Build,
                         fmt::format("lockstep-worker does not start on {}", host.name));
        finding.advice = report.all().remote ? again : "Install Lockstep again.";
        if (report.all().remote) finding.command = fresh;
    } else if (!report.all().build.empty() && facts.build() != report.all().build) {
        HostFinding& finding = report.error(
            host.name, Check::Build,
            fmt::format("{} has build {} of lockstep-worker and this machine has {}: all processes "
                        "of a job must be of one build",
                        host.name, facts.build(), report.all().build));
        finding.advice = again;
        finding.command = fresh;
    }
    int major = 0;
    int minor = 0;
    if (std::sscanf(facts.glibc().c_str(), "%d.%d", &major, &minor) == 2 &&
        (major < 2 || (major == 2 && minor < kOldestGlibcMinor)))
        report
            .error(host.name, Check::Build,
                   fmt::format("{} has glibc {}; Lockstep needs 2.36 or newer", host.name,
                               facts.glibc()))
            .advice = "Use a host with Debian 12, Ubuntu 22.10, Fedora 37 or newer.";
}

void findClockFault(const ExaminedHost& host, FaultReport& report) {
    const double skew = std::abs(host.clock->seconds) - host.clock->uncertainty;
    if (skew <= kToleratedSkewSeconds) return;
    HostFinding& finding = report.warning(
        host.name, Check::Clock,
        fmt::format("the clock of {} is {:.1f} s {} this machine's: its records are shown at wrong "
                    "times",
                    host.name, std::abs(host.clock->seconds),
                    host.clock->seconds > 0 ? "ahead of" : "behind"));
    finding.advice = "Set it by the network's time.";
    finding.command = report.on(host.name, "sudo timedatectl set-ntp true");
}

void findMemoryFaults(const ExaminedHost& host, FaultReport& report) {
    const wire::HostFacts& facts = *host.facts;
    const std::uint64_t need = memoryNeedOf(report.all(), host);
    const double free = static_cast<double>(facts.memory_available_bytes());
    if (facts.memory_available_bytes() > 0 && free < static_cast<double>(need)) {
        HostFinding& finding = report.error(
            host.name, Check::Memory,
            fmt::format("{} has {:.0f} MiB of memory free and its part of the job needs about "
                        "{:.0f} MiB",
                        host.name, free / kMebibyte, static_cast<double>(need) / kMebibyte));
        finding.advice = "End what uses it, or give this host fewer processes.";
        finding.command = report.on(host.name, "ps -eo pid,user,rss,args --sort=-rss | head");
    }
    if (facts.open_files_limit() > 0 && facts.open_files_limit() < kFewOpenFiles) {
        HostFinding& finding =
            report.warning(host.name, Check::Memory,
                           fmt::format("a process on {} may open only {}; connections to "
                                       "many processes need more",
                                       host.name, counted(facts.open_files_limit(), "file")));
        finding.advice = "Raise the hard limit of nofile to 65536, then log in again.";
        finding.command =
            report.on(host.name, fmt::format("echo '{} hard nofile 65536' | sudo tee -a "
                                             "/etc/security/limits.conf",
                                             facts.user()));
    }
}

std::string portsOf(const wire::Leftover& process) {
    std::string text;
    for (const std::uint32_t port : process.ports())
        text += fmt::format("{}{}", text.empty() ? "" : ", ", port);
    if (text.empty()) return {};
    return fmt::format(" and holds port{} {}", process.ports_size() > 1 ? "s" : "", text);
}

std::string ageOf(const wire::Leftover& process) {
    const auto seconds = static_cast<std::int64_t>(process.running_seconds());
    if (seconds < 120) return fmt::format("{} s", seconds);
    if (seconds < 7200) return fmt::format("{} min", seconds / 60);
    return fmt::format("{} h", seconds / 3600);
}

void findLeftovers(const ExaminedHost& host, FaultReport& report) {
    for (const wire::Leftover& process : host.facts->leftovers()) {
        const bool stale = process.orphaned();
        if (!stale && process.role() == "member") continue;  // its agent is told
        const std::string what =
            process.run_dir().empty() ? "a process of Lockstep" : "run " + process.run_dir();
        HostFinding& finding =
            stale ? report.warning(
                        host.name, Check::Leftovers,
                        fmt::format("a process of an earlier run is left on {} (pid {}, "
                                    "since {}){}",
                                    host.name, process.pid(), ageOf(process), portsOf(process)))
                  : report.warning(
                        host.name, Check::Leftovers,
                        fmt::format("{} runs on {} already (pid {}, since {}){}", what, host.name,
                                    process.pid(), ageOf(process), portsOf(process)));
        finding.advice = stale ? "End it." : "Let it end, or end it.";
        finding.command = report.on(host.name, fmt::format("kill {}", process.pid()));
    }
    if (host.facts->leftovers_size() >= kMostLeftovers)
        report.note(host.name, Check::Leftovers,
                    fmt::format("of the processes of Lockstep on {} only the first {} are examined",
                                host.name, kMostLeftovers));
}

}  // namespace

void findHostFaults(FaultReport& report) {
    for (const ExaminedHost& host : report.all().hosts) {
        if (host.linkError) findLinkFault(host, report);
        if (host.clock) findClockFault(host, report);
        if (!host.facts) continue;
        findBuildFaults(host, report);
        findMemoryFaults(host, report);
        findLeftovers(host, report);
    }
}

}  // namespace lockstep::launch
