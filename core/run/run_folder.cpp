// SPDX-License-Identifier: Apache-2.0
#include "core/run/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <tuple>
#include <utility>

#include "core/base/absolute_path.h"
#include "core/base/try.h"
#include "core/checkpoint/arriving_checkpoint.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::run {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kRunIdLimit = 64;
constexpr std::size_t kJournalPiece = 1 << 20;
constexpr std::chrono::seconds kLettingGo{10};
constexpr std::chrono::milliseconds kLettingGoInterval{20};

tl::unexpected<Error> cannotWrite(const fs::path& folder, const std::string& reason) {
    return fail(ErrorCode::BadInput,
                fmt::format("the run folder {} cannot be written: {}", folder.string(), reason),
                "Name a folder you may write to with --run-dir or job.run_dir.");
}

tl::unexpected<Error> inUse(const RunPaths& paths) {
    return fail(ErrorCode::Unavailable,
                fmt::format("another program is running in {}", paths.folder.string()),
                "Follow it with `lockstepctl attach`, end it with `lockstepctl stop`, or name "
                "another folder with --run-dir.");
}

/// A lock of the open file description, on the whole file: it can be asked for without being
/// taken, so that whoever only looks never stands in the way of whoever starts.
struct flock wholeFile() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

Result<UniqueFd> lockFile(const RunPaths& paths) {
    UniqueFd fd(::open(paths.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.valid()) return cannotWrite(paths.folder, errnoText());
    struct flock lock = wholeFile();
    if (::fcntl(fd.get(), F_OFD_SETLK, &lock) == 0) return fd;
    if (errno == EAGAIN || errno == EACCES) return inUse(paths);
    return cannotWrite(paths.folder, "it cannot be locked: " + errnoText());
}

/// A run that has written how it ended is about to let go: on a busy machine that takes its time,
/// and whoever saw it end may begin again at once.
bool staysLocked(const RunPaths& paths) {
    std::error_code error;
    for (const auto start = Clock::now(); isLocked(paths);
         std::this_thread::sleep_for(kLettingGoInterval))
        if (!fs::exists(paths.summary(), error) || Clock::now() - start > kLettingGo) return true;
    return false;
}

Result<void> checkContents(const RunPaths& paths, bool resume) {
    std::error_code error;
    const bool hasRun = holdsRun(paths);
    if (resume && !hasRun)
        return fail(ErrorCode::BadInput,
                    fmt::format("there is nothing to resume in {}: it holds no checkpoints",
                                paths.folder.string()),
                    "Start the job without --resume, or name the run's folder with --run-dir.");
    if (!resume && hasRun)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} already holds a run", paths.folder.string()),
                    "Continue it with --resume, or name another folder with --run-dir.");
    if (!resume && fs::exists(paths.job(), error))
        return fail(ErrorCode::BadInput,
                    fmt::format("{} already holds a job.toml, which the run would replace",
                                paths.folder.string()),
                    "Name another folder with --run-dir.");
    return {};
}

/// The newest checkpoint that the run's journal tells of; 0: of none.
std::uint64_t newestTold(const fs::path& journal) {
    const auto reader = telemetry::JournalReader::open(journal);
    std::uint64_t newest = 0;
    for (std::uint64_t offset = 0; reader;) {
        const auto frames = reader->read(offset, kJournalPiece);
        if (!frames || frames->empty()) break;
        telemetry::FrameCursor cursor(*frames, offset);
        while (const auto bytes = cursor.next()) {
            const auto record = wire::decode<wire::Record>(*bytes);
            if (record && record->has_checkpoint() && record->checkpoint().error().empty())
                newest = std::max<std::uint64_t>(newest, record->checkpoint().step());
        }
        offset += frames->size();
    }
    return newest;
}

/// Where a checkpoint was on its way here, there is one elsewhere, and where some were written and
/// are gone, they may be brought back: to begin anew would give them up. A copy of a run is never
/// all there is of it.
Result<void> checkArrived(const RunPaths& paths) {
    const auto store = checkpoint::CheckpointStore::open(paths.checkpoints(),
                                                         checkpoint::CheckpointStore::Access::Read);
    if (store && !store->list().value_or(std::vector<std::int64_t>()).empty()) return {};
    const auto cutOff = checkpoint::arrivingSteps(paths.checkpoints());
    std::error_code error;
    const bool isCopy = fs::exists(paths.copyMark(), error);
    if (cutOff.empty() && !isCopy) {
        const std::uint64_t written = newestTold(paths.journal());
        if (written == 0) return {};
        return fail(ErrorCode::BadInput,
                    fmt::format("there is no checkpoint left in {}: the run has written some, the "
                                "newest of step {}",
                                paths.folder.string(), written),
                    "Put one back below checkpoints/ and resume. Or train anew: here with --resume "
                    "--from-scratch, which puts aside what is there, or without --resume in "
                    "another folder, named with --run-dir.");
    }
    const std::string why =
        cutOff.empty() ? "it is a copy of a run, and no checkpoint has come to it"
                       : fmt::format("that of step {} was cut off on its way here", cutOff.back());
    return fail(ErrorCode::BadInput,
                fmt::format("there is no whole checkpoint in {}: {}", paths.folder.string(), why),
                "Go on from where the run itself lies: a launch over ssh on its hosts fetches what "
                "is missing. Or train anew: here with --resume --from-scratch, which puts aside "
                "what is there, or without --resume in another folder, named with --run-dir.");
}

/// Where older ones are there, the run goes on from them.
std::string cutOffNote(const RunPaths& paths) {
    const auto cutOff = checkpoint::arrivingSteps(paths.checkpoints());
    const auto store = checkpoint::CheckpointStore::open(paths.checkpoints(),
                                                         checkpoint::CheckpointStore::Access::Read);
    if (cutOff.empty() || !store || store->latest().value_or(-1) >= cutOff.back()) return {};
    return fmt::format(
        "the checkpoint of step {} was cut off on its way to this folder: the run goes on from an "
        "older one",
        cutOff.back());
}

}  // namespace

Result<UniqueFd> lockRunFolder(const RunPaths& paths, const std::string& runId) {
    auto lock = lockFile(paths);
    if (!lock) return lock;
    if (::ftruncate(lock->get(), 0) != 0) return cannotWrite(paths.folder, errnoText());
    TRY(writeAll(lock->get(), runId + "\n"));
    return lock;
}

std::string fileName(const std::string& text) {
    std::string name = text;
    for (char& c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        if (!plain) c = '-';
    }
    return name.empty() || name.front() == '.' ? "job" + name : name;
}

fs::path firstMissingFolder(const fs::path& folder) {
    fs::path missing;
    std::error_code error;
    // A link that leads nowhere is there all the same, and somebody's.
    for (fs::path path = fs::absolute(folder, error).lexically_normal();
         !fs::exists(fs::symlink_status(path, error)); path = path.parent_path()) {
        missing = path;
        if (path == path.parent_path()) break;
    }
    return missing;
}

Result<fs::path> reserveFolder(const fs::path& runsFolder, const std::string& name) {
    constexpr int kMostAttempts = 10'000;
    std::error_code error;
    fs::create_directories(runsFolder, error);
    if (error) return cannotWrite(runsFolder, error.message());
    for (int i = 1; i <= kMostAttempts; ++i) {
        fs::path folder = runsFolder / (i == 1 ? name : fmt::format("{}-{}", name, i));
        if (fs::create_directory(folder, error)) return folder;  // false: it was there
        if (error) return cannotWrite(folder, error.message());
    }
    return cannotWrite(runsFolder / name, "there are too many of this name");
}

bool holdsRun(const RunPaths& paths) {
    std::error_code error;
    return fs::exists(paths.journal(), error) || fs::exists(paths.checkpoints(), error);
}

void removeScoredCheckpoints(const RunPaths& paths, int keep) {
    std::error_code error;
    if (!fs::is_directory(paths.checkpoints(), error)) return;
    auto store = checkpoint::CheckpointStore::open(paths.checkpoints(),
                                                   checkpoint::CheckpointStore::Access::Write);
    const auto removed =
        store ? store->prune(keep) : Result<std::vector<std::int64_t>>(fail(store.error()));
    if (!removed) std::fprintf(stderr, "warning: %s\n", removed.error().message.c_str());
}

Result<void> checkUsable(const RunPaths& paths, bool resume) {
    if (staysLocked(paths)) return inUse(paths);
    return checkContents(paths, resume);
}

Result<RunFolder> RunFolder::open(const fs::path& folder, bool resume, const fs::path& created,
                                  bool fromScratch) {
    RunFolder run;
    run.paths_.folder = TRY(absolutePath(folder));
    if (staysLocked(run.paths_)) return inUse(run.paths_);
    if (!fromScratch) TRY(checkContents(run.paths_, resume));
    if (resume) TRY(checkArrived(run.paths_));
    run.firstCreated_ = created.empty() ? firstMissingFolder(run.paths_.folder) : created;
    std::error_code error;
    const bool hadLock = fs::exists(run.paths_.lock(), error);
    fs::create_directories(run.paths_.folder, error);
    if (error) {
        run.takeBack();
        return cannotWrite(run.paths_.folder, error.message());
    }
    auto lock = lockFile(run.paths_);
    if (!lock) {
        if (lock.error().code == ErrorCode::BadInput) run.takeBack();
        return fail(lock.error());
    }
    run.lock_ = std::move(*lock);
    // Another program may have begun a run here and ended before this one had the lock. What was
    // put aside leaves nothing that could be refused, and stays aside for whoever takes it back.
    if (fromScratch)
        run.earlier_ = TRY(EarlierRun::putAside(run.paths_));
    else
        TRY(checkContents(run.paths_, resume));
    run.rememberContents(resume);
    run.openingNote_ = resume ? cutOffNote(run.paths_) : run.earlier_.note();
    if (!hadLock) run.absent_.push_back(run.paths_.lock());
    fs::remove(run.paths_.summary(), error);
    fs::remove(run.paths_.forced(), error);
    fs::remove(run.paths_.copyMark(), error);  // from now on it is a run of its own
    for (const fs::path& part : {run.paths_.logs(), run.paths_.events()}) {
        fs::create_directories(part, error);
        if (!error) continue;
        run.takeBack();
        return cannotWrite(part, error.message());
    }
    return run;
}

void RunFolder::rememberContents(bool resume) {
    std::error_code error;
    for (const fs::path& path :
         {paths_.job(), paths_.summary(), paths_.journal(), paths_.events(), paths_.logs(),
          paths_.epochs(), paths_.checkpoints(), paths_.processes()})
        if (!fs::exists(path, error)) absent_.push_back(path);
    if (resume) former_ = FormerRun(paths_);
}

void RunFolder::takeBack() {
    std::error_code ignored;
    for (const fs::path& path : std::exchange(absent_, {}))
        fs::remove_all(path, ignored);
    const FormerRun former = std::exchange(former_, {});
    former.putBack();
    EarlierRun earlier = std::exchange(earlier_, {});
    earlier.putBack();
    const std::string& runId = former.runId().empty() ? earlier.runId() : former.runId();
    if (!runId.empty() && lock_.valid()) std::ignore = writeRunId(runId);
    if (firstCreated_.empty()) return;
    fs::remove_all(paths_.folder, ignored);
    // The parents that open() made go too, as long as nothing else came to live in them.
    for (fs::path parent = paths_.folder.parent_path();
         parent.native().size() >= firstCreated_.native().size(); parent = parent.parent_path())
        fs::remove(parent, ignored);
    firstCreated_.clear();
}

void RunFolder::leave() {
    absent_.clear();
    firstCreated_.clear();
    const FormerRun former = std::exchange(former_, {});
    former.putBackFacts();
    if (!former.runId().empty() && lock_.valid()) std::ignore = writeRunId(former.runId());
}

Result<void> RunFolder::writeRunId(const std::string& runId) const {
    if (::ftruncate(lock_.get(), 0) != 0) return cannotWrite(paths_.folder, errnoText());
    ::lseek(lock_.get(), 0, SEEK_SET);
    return writeAll(lock_.get(), runId + "\n");
}

Result<fs::path> RunFolder::whereabouts() const {
    std::error_code error;
    const fs::path lock = fs::read_symlink(fmt::format("/proc/self/fd/{}", lock_.get()), error);
    if (error || fs::exists(paths_.lock(), error)) return paths_.folder;
    if (fs::exists(lock, error)) return lock.parent_path();
    return fail(
        ErrorCode::NotFound,
        fmt::format("the run folder {} was removed while the run went on", paths_.folder.string()));
}

std::string readRunId(const RunPaths& paths) {
    const auto text = readFile(paths.lock(), kRunIdLimit);
    return text ? text->substr(0, text->find('\n')) : "";
}

bool isLocked(const RunPaths& paths) {
    const UniqueFd fd(::open(paths.lock().c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return false;
    struct flock lock = wholeFile();
    return ::fcntl(fd.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace lockstep::run
