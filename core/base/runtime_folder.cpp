// SPDX-License-Identifier: Apache-2.0
#include "core/base/runtime_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "core/base/file.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKeepVariable = "LOCKSTEP_KEEP_RUNTIME";

Result<void> makePrivateFolder(const fs::path& folder) {
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(ErrorCode::Io,
                    fmt::format("cannot create {}: {}", folder.string(), errnoText()));
    struct stat status {};
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != ::geteuid() || (status.st_mode & 077) != 0)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} is not a folder that only this user can open", folder.string()),
                    "Remove it, or set XDG_RUNTIME_DIR to a private folder.");
    return {};
}

}  // namespace

Result<fs::path> makeRuntimeFolder(const std::string& runId, std::size_t longest) {
    const char* base =
        std::getenv(kKeepVariable) == nullptr ? std::getenv("XDG_RUNTIME_DIR") : nullptr;
    const fs::path own =
        base == nullptr || *base == '\0' ? fs::path() : fs::path(base) / "lockstep";
    const bool usesOwn =
        !own.empty() && ::access(base, W_OK) == 0 && (own / runId).native().size() <= longest;
    const fs::path parent = usesOwn ? own : fs::path(fmt::format("/tmp/lockstep-{}", ::geteuid()));
    if (auto made = makePrivateFolder(parent); !made) return fail(made.error());
    const fs::path folder = parent / runId;
    if (auto made = makePrivateFolder(folder); !made) return fail(made.error());
    return folder;
}

void keepRuntimeFolders() {
    ::setenv(kKeepVariable, "1", 1);
}

}  // namespace lockstep
