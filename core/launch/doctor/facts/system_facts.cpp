// SPDX-License-Identifier: Apache-2.0
// What the doctor asks of the system: versions, memory, limits, proxies.
#include <gnu/libc-version.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

#include "core/base/environment.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/base/thread.h"
#include "core/launch/doctor/facts/host_facts.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostWords = 64;  ///< Of no_proxy; of names.

void addMemory(wire::HostFacts& facts) {
    std::ifstream file("/proc/meminfo");
    constexpr std::uint64_t kKibibyte = 1024;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t kibibytes = 0;
        if (!(words >> name >> kibibytes)) continue;
        if (name == "MemTotal:") facts.set_memory_bytes(kibibytes * kKibibyte);
        if (name == "MemAvailable:") facts.set_memory_available_bytes(kibibytes * kKibibyte);
    }
}

/// The hard limit: a worker raises its own soft one.
std::uint64_t hardLimit(__rlimit_resource which) {
    rlimit limit{};
    return ::getrlimit(which, &limit) == 0 ? limit.rlim_max : 0;
}

void addProxies(wire::HostFacts& facts) {
    const Environment environment = Environment::ofThisProcess();
    for (const auto& [name, value] : environment.all()) {
        std::string lower = name;
        for (char& letter : lower)
            letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        if (lower == "no_proxy") {
            std::istringstream words(value);
            for (std::string word; std::getline(words, word, ',');)
                if (facts.unproxied_size() < static_cast<int>(kMostWords))
                    facts.add_unproxied(sanitizeLine(word, kMostWords));
        } else if (lower.ends_with("_proxy") && !value.empty() &&
                   facts.proxies_size() < static_cast<int>(kMostWords)) {
            facts.add_proxies(sanitizeLine(name, kMostWords));
        }
    }
}

std::string userName() {
    std::array<char, 4096> space{};
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(::geteuid(), &entry, space.data(), space.size(), &found);
    return found != nullptr ? found->pw_name : std::to_string(::geteuid());
}

}  // namespace

void addSystemFacts(wire::HostFacts& facts) {
    facts.set_host(hostName());
    facts.set_user(userName());
    facts.set_glibc(::gnu_get_libc_version());
    utsname system{};
    if (::uname(&system) == 0) {
        facts.set_architecture(system.machine);
        facts.set_kernel(system.release);
    }
    facts.set_processors(static_cast<std::uint32_t>(availableProcessors()));
    addMemory(facts);
    facts.set_open_files_limit(hardLimit(RLIMIT_NOFILE));
    facts.set_locked_memory_limit(hardLimit(RLIMIT_MEMLOCK));
    struct statvfs shared {};
    if (::statvfs("/dev/shm", &shared) == 0)
        facts.set_shared_memory_free_bytes(shared.f_bavail * shared.f_frsize);
    addProxies(facts);
}

}  // namespace lockstep::launch
