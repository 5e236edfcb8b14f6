// SPDX-License-Identifier: Apache-2.0
// Processes of Lockstep that run on this host already: they hold ports, memory and GPUs.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "core/base/process_start_time.h"
#include "core/base/text.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/launch/doctor/facts/listening_ports.h"
#include "core/launch/process/child_process.h"
#include "core/run/run_folder.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr int kMostPorts = 16;

std::string linkOf(pid_t pid, const char* name) {
    std::error_code error;
    return fs::read_symlink(fmt::format("/proc/{}/{}", pid, name), error).string();
}

/// The program's file may have been replaced since: the link then ends with " (deleted)".
bool isOurProgram(pid_t pid) {
    const std::string program = linkOf(pid, "exe");
    const std::string name = program.substr(program.rfind('/') + 1);
    return name == "lockstep-worker" || name.starts_with("lockstep-worker (");
}

bool isOfThisUser(pid_t pid) {
    struct stat status {};
    return ::stat(fmt::format("/proc/{}", pid).c_str(), &status) == 0 &&
           status.st_uid == ::geteuid();
}

/// agent | member | service: from the one argument that says it.
std::string roleOf(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
    const std::string words((std::istreambuf_iterator<char>(file)), {});
    const auto has = [&words](const char* argument) {
        return words.find(std::string(1, '\0') + argument) != std::string::npos;
    };
    if (has("--member")) return "member";
    if (has("--host") || has("--keep") || has("--probe") || has("--self-test") || has("--askpass"))
        return "service";
    return "agent";
}

pid_t parentOf(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/status", pid));
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("PPid:")) return std::atoi(line.c_str() + 5);
    return 0;
}

/// An agent holds its run folder's lock open; so the folder is told by the process itself.
std::string runFolderOf(pid_t pid) {
    std::error_code error;
    for (fs::directory_iterator entry(fmt::format("/proc/{}/fd", pid), error), end;
         !error && entry != end; entry.increment(error)) {
        std::error_code unreadable;
        const fs::path target = fs::read_symlink(entry->path(), unreadable);
        if (target.filename() == run::RunPaths{}.lock().filename())
            return sanitizeLine(target.parent_path().string());
    }
    return {};
}

double secondsSince(std::uint64_t startTime) {
    std::ifstream file("/proc/uptime");
    double uptime = 0;
    file >> uptime;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    return std::max(0.0, uptime - static_cast<double>(startTime) / ticks);
}

/// A worker whose agent is gone is nobody's; an agent ends soon after its run's summary is written.
bool isOrphaned(pid_t pid, const wire::Leftover& process) {
    if (process.role() == "member") return !isOurProgram(parentOf(pid));
    std::error_code error;
    return !process.run_dir().empty() &&
           fs::exists(run::RunPaths{process.run_dir()}.summary(), error);
}

void addPorts(pid_t pid, const std::vector<ListeningPort>& ports, wire::Leftover& process) {
    const std::vector<std::uint64_t> own = socketsOf(pid);
    for (const ListeningPort& one : ports)
        if (std::ranges::find(own, one.inode) != own.end() && process.ports_size() < kMostPorts)
            process.add_ports(one.port);
}

}  // namespace

void addLeftovers(wire::HostFacts& facts) {
    // A process of another network namespace is in a container: it holds no port of this host.
    const std::string network = linkOf(::getpid(), "ns/net");
    const std::vector<ListeningPort> ports = listeningPorts();
    std::vector<wire::Leftover> found;
    for (const pid_t pid : allProcesses()) {
        if (pid == ::getpid() || !isOfThisUser(pid) || !isOurProgram(pid) ||
            linkOf(pid, "ns/net") != network)
            continue;
        wire::Leftover process;
        process.set_role(roleOf(pid));
        const auto started = processStartTime(pid);
        if (process.role() == "service" || !started) continue;
        process.set_pid(pid);
        process.set_start_time(*started);
        process.set_running_seconds(secondsSince(*started));
        process.set_run_dir(runFolderOf(pid));
        process.set_orphaned(isOrphaned(pid, process));
        addPorts(pid, ports, process);
        found.push_back(std::move(process));
    }
    // An agent stands for its workers.
    std::ranges::stable_partition(
        found, [](const wire::Leftover& process) { return process.role() == "agent"; });
    for (wire::Leftover& process : found)
        if (facts.leftovers_size() < kMostLeftovers) *facts.add_leftovers() = std::move(process);
}

}  // namespace lockstep::launch
