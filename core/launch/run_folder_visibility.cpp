// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run_folder_visibility.h"

#include <thread>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/ids.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTokenFile = ".visible";
constexpr std::uint64_t kTokenLimit = 256;
constexpr std::chrono::seconds kPatience{2};
constexpr Millis kLookAgain{100};

}  // namespace

Result<std::string> leaveToken(const fs::path& runFolder) {
    std::string token = randomHex(16);
    if (auto written = replaceFileDurably(runFolder / kTokenFile, token); !written)
        return fail(written.error());
    return token;
}

bool seesRunFolder(const fs::path& runFolder, const std::string& token) {
    if (token.empty()) return false;
    const Nanos deadline = SteadyClock::read() + kPatience;
    std::error_code error;
    for (;;) {
        const auto found = readFile(runFolder / kTokenFile, kTokenLimit);
        if (found && *found == token) return true;
        // Where there is no such folder at all, waiting does not help.
        if (!fs::is_directory(runFolder.parent_path(), error)) return false;
        if (SteadyClock::read() >= deadline) return false;
        std::this_thread::sleep_for(kLookAgain);
    }
}

}  // namespace lockstep::launch
