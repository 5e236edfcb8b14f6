// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/ticket/start_ticket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <thread>
#include <tuple>

#include "core/base/clock.h"
#include "core/base/try.h"
#include "core/wire/framed_stream.h"

namespace lockstep::coordination {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kFrameTimeout{5};
constexpr int kSweepAttempts = 5;
constexpr Millis kSweepPause{2};
constexpr std::time_t kYoungSeconds = 60;  ///< It may be one that is being written.

struct flock wholeFile(short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

/// A key must not lie where others could put their own in its place.
Result<void> checkFolder(const fs::path& folder) {
    std::error_code error;
    const bool made = fs::create_directories(folder, error);
    if (made) ::chmod(folder.c_str(), 0700);
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0)
        return fail(ErrorCode::Unavailable,
                    fmt::format("cannot make {} for the job's keys: {}", folder.string(),
                                error ? error.message() : errnoText()),
                    "Name a folder that all hosts share with --set job.run_dir=FOLDER.");
    if (status.st_uid != ::geteuid())
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} belongs to another user: the job's keys cannot lie there",
                                folder.string()),
                    "Name a folder of your own with --set job.run_dir=FOLDER.");
    if ((status.st_mode & 022) != 0)
        return fail(ErrorCode::Unavailable,
                    fmt::format("others may write to {} (mode {:04o}): the job's keys cannot lie "
                                "there",
                                folder.string(), status.st_mode & 07777),
                    fmt::format("chmod go-w {}", folder.string()));
    return {};
}

tl::unexpected<Error> cannotCreate(const fs::path& file) {
    if (errno == EEXIST)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} is there already: another process 0 of this start is running",
                                file.string()),
                    "Give every process of the job an id of its own; only one has the id 0.\n"
                    "Two jobs at the same time need addresses and names of their own.\n"
                    "If none is running, remove " +
                        file.string() + ".");
    return fail(ErrorCode::Io, fmt::format("cannot create {}: {}", file.string(), errnoText()));
}

Result<void> fill(const UniqueFd& fd, const fs::path& file, const wire::StartTicket& ticket) {
    struct flock lock = wholeFile(F_WRLCK);
    std::ignore = ::fcntl(fd.get(), F_OFD_SETLK, &lock);  // some file systems have no locks
    if (auto written = wire::writeMessage(fd.get(), ticket, kFrameTimeout); !written)
        return failWithin("writing " + file.string(), written.error());
    std::ignore = ::fsync(fd.get());  // for other hosts' view of a shared file system
    return {};
}

/// For file systems on which a file has a name from the beginning.
Result<UniqueFd> createVisibly(const fs::path& file, const wire::StartTicket& ticket) {
    UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.valid()) return cannotCreate(file);
    if (auto filled = fill(fd, file, ticket); !filled) {
        std::error_code ignored;
        fs::remove(file, ignored);
        return fail(filled.error());
    }
    return fd;
}

/// It gets its name complete and locked: nobody takes it for one that was abandoned.
Result<UniqueFd> createTicket(const fs::path& file, const wire::StartTicket& ticket) {
    UniqueFd fd(::open(file.parent_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!fd.valid()) return createVisibly(file, ticket);
    TRY(fill(fd, file, ticket));
    const std::string nameless = fmt::format("/proc/self/fd/{}", fd.get());
    if (::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, file.c_str(), AT_SYMLINK_FOLLOW) == 0)
        return fd;
    if (errno == EEXIST) return cannotCreate(file);
    return createVisibly(file, ticket);
}

/// Removes the ticket of one who has ended: the kernel has let go of its lock. Others may be doing
/// the same, and have put a new one in its place: the name goes only while it is that file's, which
/// whoever holds the lock makes sure of. One that is younger than `age` seconds stays.
void removeAbandoned(const fs::path& file, std::time_t age) {
    const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat open {};
    if (!fd.valid() || ::fstat(fd.get(), &open) != 0 || !S_ISREG(open.st_mode)) return;
    if (std::time(nullptr) - open.st_mtime < age) return;
    struct flock lock = wholeFile(F_WRLCK);
    struct stat named {};
    if (::fcntl(fd.get(), F_OFD_SETLK, &lock) == 0 && ::lstat(file.c_str(), &named) == 0 &&
        named.st_ino == open.st_ino && named.st_dev == open.st_dev)
        ::unlink(file.c_str());
}

}  // namespace

Result<UniqueFd> writeTicket(const fs::path& file, const wire::StartTicket& ticket) {
    TRY(checkFolder(file.parent_path()));
    for (int attempt = 0;; ++attempt) {
        removeAbandoned(file, 0);
        auto written = createTicket(file, ticket);
        if (written || written.error().code != ErrorCode::Unavailable || attempt == kSweepAttempts)
            return written;
        std::this_thread::sleep_for(kSweepPause);  // somebody may be sweeping an abandoned one
    }
}

void sweepTickets(const fs::path& folder) {
    std::error_code error;
    for (fs::directory_iterator next(folder, error); !error && next != fs::directory_iterator();
         next.increment(error))
        removeAbandoned(next->path(), kYoungSeconds);
}

bool isHeld(const fs::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd.valid()) return errno != ENOENT && errno != ENOTDIR;
    struct flock lock = wholeFile(F_RDLCK);  // one that only the writer's would keep away
    return ::fcntl(fd.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

Result<std::optional<wire::StartTicket>> readTicket(const fs::path& file) {
    {  // Looking into the folder makes a network file system ask its server for new names.
        const UniqueFd folder(::open(file.parent_path().c_str(), O_RDONLY | O_CLOEXEC));
    }
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd.valid() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    struct stat status {};
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0)
        return fail(ErrorCode::Unavailable,
                    fmt::format("cannot read {}: {}", file.string(), errnoText()));
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077) != 0)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} is not a file that only this user can read: it is not process "
                                "0's",
                                file.string()),
                    "Remove it, and start the job again.");
    auto ticket = wire::readMessage<wire::StartTicket>(fd.get(), kFrameTimeout);
    if (!ticket && ticket.error().code == ErrorCode::PeerLost) return std::nullopt;  // half written
    if (!ticket) return failWithin("reading " + file.string(), ticket.error());
    return std::optional(std::move(*ticket));
}

}  // namespace lockstep::coordination
