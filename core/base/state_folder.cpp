// SPDX-License-Identifier: Apache-2.0
#include "core/base/state_folder.h"

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
    const int failed =
        ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
    return failed == 0 && found != nullptr ? fs::path(found->pw_dir) : fs::path();
}

}  // namespace

fs::path stateFolder() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state == '/') return fs::path(state) / "lockstep";
    const fs::path home = homeFolder();
    return home.empty() ? fs::path() : home / ".local" / "state" / "lockstep";
}

}  // namespace lockstep
