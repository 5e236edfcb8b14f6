// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/file_owner.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <vector>

#include "core/base/ids.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEventPrefix = "events.out.tfevents.";
constexpr int kDeepestDescent = 64;

std::optional<pid_t> numberOf(std::string_view text) {
    pid_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// Parent and group of a process, of /proc/PID/stat; its name, in brackets, may hold anything.
struct Kin {
    pid_t parent = 0;
    pid_t group = 0;
};
std::optional<Kin> kinOf(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(file, text)) return std::nullopt;
    const std::size_t close = text.rfind(')');
    if (close == std::string::npos) return std::nullopt;
    Kin kin;
    char state = 0;
    if (std::sscanf(text.c_str() + close + 1, " %c %d %d", &state, &kin.parent, &kin.group) != 3)
        return std::nullopt;
    return kin;
}

/// Whether the process is below the supervisor, or in the group that it leads.
bool isOwn(pid_t pid, pid_t supervisor) {
    for (int depth = 0; depth < kDeepestDescent && pid > 1; ++depth) {
        if (pid == supervisor) return true;
        const auto kin = kinOf(pid);
        if (!kin) return false;
        if (kin->group == supervisor) return true;
        pid = kin->parent;
    }
    return false;
}

bool hasOpen(const fs::path& process, const fs::path& file) {
    std::error_code error;
    for (fs::directory_iterator entry(process / "fd", error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        if (fs::read_symlink(entry->path(), ignored) == file) return true;
    }
    return false;
}

FileOwner ownerByOpenFiles(const fs::path& file, pid_t supervisor) {
    std::error_code error;
    const fs::path whole = fs::canonical(file, error);
    if (error) return FileOwner::Unknown;
    FileOwner owner = FileOwner::Unknown;
    for (fs::directory_iterator entry("/proc", error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
        const auto pid = numberOf(entry->path().filename().native());
        // Whoever looks at it does not write it: this process may have it open itself.
        if (!pid || *pid == supervisor || !hasOpen(entry->path(), whole)) continue;
        if (isOwn(*pid, supervisor)) return FileOwner::Own;
        owner = FileOwner::Others;
    }
    return owner;
}

}  // namespace

std::optional<EventFileName> parseEventFileName(std::string_view name) {
    if (!name.starts_with(kEventPrefix)) return std::nullopt;
    std::vector<std::string_view> parts;
    for (std::size_t begin = kEventPrefix.size(); begin <= name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        parts.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    while (!parts.empty() && !numberOf(parts.back()))
        parts.pop_back();
    // Seconds, a host of at least one part, pid and number.
    if (parts.size() < 4) return std::nullopt;
    const auto pid = numberOf(parts[parts.size() - 2]);
    if (!pid || *pid <= 0) return std::nullopt;
    const char* hostBegin = parts[1].data();
    const std::string_view last = parts[parts.size() - 3];
    return EventFileName{std::string(hostBegin, last.data() + last.size()), *pid};
}

FileOwner ownerOf(const fs::path& file, pid_t supervisor) {
    if (const auto name = parseEventFileName(file.filename().native())) {
        if (name->host != hostName()) return FileOwner::Others;
        if (isOwn(name->pid, supervisor)) return FileOwner::Own;
        if (::kill(name->pid, 0) == 0 || errno == EPERM) return FileOwner::Others;
    }
    return ownerByOpenFiles(file, supervisor);
}

}  // namespace lockstep::launch
