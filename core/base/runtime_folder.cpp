// SPDX-License-Identifier: Apache-2.0
#include "core/base/runtime_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <thread>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/try.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKeepVariable = "LOCKSTEP_KEEP_RUNTIME";
constexpr const char* kOwnerFile = ".owner";
constexpr int kOwnAttempts = 50;  ///< While a sweeper looks whether the lock is held.
constexpr Millis kOwnPause{1};
constexpr std::size_t kAnyLength = 4096;

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

bool isSameFile(int fd, const fs::path& path) {
    struct stat open {};
    struct stat named {};
    return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// A lock that the kernel lets go of with the process, however it ends.
bool takeLock(int fd) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return ::fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/// The locks of the folders that this process has made, until they are gone.
class OwnedFolders {
public:
    void add(const fs::path& folder, UniqueFd lock) {
        const Lock guard(mutex_);
        std::erase_if(locks_, [](const auto& one) {
            return !isSameFile(one.second.get(), one.first / kOwnerFile);
        });
        locks_.insert_or_assign(folder, std::move(lock));
    }
    [[nodiscard]] bool has(const fs::path& folder) {
        const Lock guard(mutex_);
        const auto known = locks_.find(folder);
        return known != locks_.end() && isSameFile(known->second.get(), folder / kOwnerFile);
    }

private:
    Mutex mutex_;
    std::map<fs::path, UniqueFd> locks_ LS_GUARDED_BY(mutex_);
};

OwnedFolders& ownedFolders() {
    static OwnedFolders folders;
    return folders;
}

/// Makes the folder this process's own, unless another living one has it already. Who sweeps may
/// take it away meanwhile, when it was a dead one's.
Result<void> makeOwnFolder(const fs::path& folder) {
    for (int attempt = 0; attempt < kOwnAttempts; ++attempt) {
        TRY(makePrivateFolder(folder));
        if (ownedFolders().has(folder)) return {};
        const fs::path file = folder / kOwnerFile;
        UniqueFd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!lock.valid() && errno != ENOENT)
            return fail(ErrorCode::Io,
                        fmt::format("cannot create {}: {}", file.string(), errnoText()));
        if (lock.valid() && takeLock(lock.get()) && isSameFile(lock.get(), file)) {
            ownedFolders().add(folder, std::move(lock));
            return {};
        }
        std::this_thread::sleep_for(kOwnPause);
    }
    return {};
}

/// Removes the folders of processes that were killed: those whose lock nobody holds. One without
/// any lock is left alone.
void sweepFolders(const fs::path& parent) {
    std::error_code error;
    for (fs::directory_iterator next(parent, error); !error && next != fs::directory_iterator();
         next.increment(error)) {
        const fs::path file = next->path() / kOwnerFile;
        const UniqueFd lock(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        std::error_code ignored;
        if (lock.valid() && takeLock(lock.get()) && isSameFile(lock.get(), file))
            fs::remove_all(next->path(), ignored);
    }
}

/// Where runtime folders lie, with room for one of this name.
Result<fs::path> runtimeParent(const std::string& name, std::size_t longest) {
    const char* base =
        std::getenv(kKeepVariable) == nullptr ? std::getenv("XDG_RUNTIME_DIR") : nullptr;
    const fs::path own =
        base == nullptr || *base == '\0' ? fs::path() : fs::path(base) / "lockstep";
    const bool usesOwn =
        !own.empty() && ::access(base, W_OK) == 0 && (own / name).native().size() <= longest;
    fs::path parent = usesOwn ? own : fs::path(fmt::format("/tmp/lockstep-{}", ::geteuid()));
    TRY(makePrivateFolder(parent));
    return parent;
}

}  // namespace

Result<fs::path> makeRuntimeFolder(const std::string& runId, std::size_t longest) {
    auto parent = TRY(runtimeParent(runId, longest));
    sweepFolders(parent);
    fs::path folder = parent / runId;
    TRY(makeOwnFolder(folder));
    return folder;
}

Result<fs::path> makeSharedRuntimeFolder(const std::string& name) {
    auto parent = TRY(runtimeParent(name, kAnyLength));
    fs::path folder = parent / name;
    TRY(makePrivateFolder(folder));
    return folder;
}

void keepRuntimeFolders() {
    ::setenv(kKeepVariable, "1", 1);
}

}  // namespace lockstep
