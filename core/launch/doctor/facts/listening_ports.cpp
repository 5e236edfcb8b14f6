// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/facts/listening_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "core/base/text.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kListening = "0A";  ///< The state in /proc/net/tcp.
constexpr std::size_t kMostName = 64;

template <typename Number>
bool parse(std::string_view text, Number& number, int base = 10) {
    const char* begin = text.data();
    const char* end = begin + text.size();
    const auto [stop, status] = std::from_chars(begin, end, number, base);
    return status == std::errc() && stop == end;
}

void addPorts(const char* table, std::vector<ListeningPort>& ports) {
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);  // the heading
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string skipped;
        std::string local;
        std::string state;
        ListeningPort entry;
        words >> skipped >> local >> skipped >> state;
        for (int column = 0; column < 5; ++column)
            words >> skipped;
        words >> entry.inode;
        const std::size_t colon = local.find(':');
        if (words && state == kListening && colon != std::string::npos &&
            parse(std::string_view(local).substr(colon + 1), entry.port, 16))
            ports.push_back(entry);
    }
}

std::string nameOf(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/comm", pid));
    std::string name;
    std::getline(file, name);
    return sanitizeLine(name, kMostName);
}

}  // namespace

std::vector<ListeningPort> listeningPorts() {
    std::vector<ListeningPort> ports;
    addPorts("/proc/self/net/tcp", ports);
    addPorts("/proc/self/net/tcp6", ports);
    return ports;
}

std::vector<std::uint64_t> socketsOf(pid_t pid) {
    constexpr std::string_view kPrefix = "socket:[";
    std::vector<std::uint64_t> inodes;
    std::error_code error;
    for (fs::directory_iterator entry(fmt::format("/proc/{}/fd", pid), error), end;
         !error && entry != end; entry.increment(error)) {
        std::error_code unreadable;
        const std::string target = fs::read_symlink(entry->path(), unreadable).string();
        std::uint64_t inode = 0;
        if (target.starts_with(kPrefix) &&
            parse(
                std::string_view(target).substr(kPrefix.size(), target.size() - kPrefix.size() - 1),
                inode))
            inodes.push_back(inode);
    }
    return inodes;
}

PortHolder holderOf(std::uint32_t port) {
    std::vector<std::uint64_t> wanted;
    for (const ListeningPort& one : listeningPorts())
        if (one.port == port) wanted.push_back(one.inode);
    if (wanted.empty()) return {};
    for (const pid_t pid : allProcesses())
        for (const std::uint64_t inode : socketsOf(pid))
            if (std::ranges::find(wanted, inode) != wanted.end()) return {pid, nameOf(pid)};
    return {};
}

void nameHolder(const wire::OpenListener& wanted, wire::ListenerOpened& answer) {
    if (answer.problem() != wire::LISTEN_IN_USE) return;
    const PortHolder holder = holderOf(wanted.port());
    if (holder.pid == 0) return;
    answer.set_holder(fmt::format("{} (pid {})", holder.name, holder.pid));
    answer.set_holder_pid(holder.pid);
}

std::vector<pid_t> allProcesses() {
    std::vector<pid_t> processes;
    std::error_code error;
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
         entry.increment(error)) {
        pid_t pid = 0;
        if (parse(entry->path().filename().native(), pid)) processes.push_back(pid);
    }
    return processes;
}

}  // namespace lockstep::launch
