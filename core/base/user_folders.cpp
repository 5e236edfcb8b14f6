// SPDX-License-Identifier: Apache-2.0
#include "core/base/user_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace lockstep {

namespace fs = std::filesystem;

namespace {

fs::path homeFolder() {
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home == '/') return home;
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    const int failed = ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
    return failed == 0 && found != nullptr ? fs::path(found->pw_dir) : fs::path();
}

fs::path userFolder(const char* variable, const fs::path& belowHome) {
    const char* base = std::getenv(variable);
    if (base != nullptr && *base == '/') return fs::path(base) / "lockstep";
    const fs::path home = homeFolder();
    return home.empty() ? fs::path() : home / belowHome / "lockstep";
}

}  // namespace

fs::path stateFolder() {
    return userFolder("XDG_STATE_HOME", ".local/state");
}

fs::path cacheFolder() {
    return userFolder("XDG_CACHE_HOME", ".cache");
}

fs::path dataFolder() {
    return userFolder("XDG_DATA_HOME", ".local/share");
}

fs::path configFolder() {
    return userFolder("XDG_CONFIG_HOME", ".config");
}

}  // namespace lockstep
