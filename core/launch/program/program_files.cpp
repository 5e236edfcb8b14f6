// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/thread.h"
#include "core/launch/program/file_owner.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr Nanos kRetryInterval = Millis(5);
constexpr Nanos kInterval = Millis(50);        ///< For the end, too.
constexpr Nanos kOwnerInterval = Millis(500);  ///< For files whose owner is not known yet.
constexpr Nanos kOwnerPause = Millis(100);     ///< Likewise, while they are written to.
constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostUndecided = 256;
constexpr std::size_t kMostRemembered = 10'000;  ///< Names of figures, files of others.
constexpr std::size_t kMostWaiting = 100'000;
constexpr std::chrono::seconds kLastPatience{2};

std::string shown(const fs::path& file) {
    return sanitizeLine(file.string(), 300);
}

bool isBelow(const fs::path& file, const fs::path& folder) {
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return end == folder.end();
}

/// Runs of one training that differ in nothing but their folder, as Keras and others name them.
bool isSplit(const std::string& folder) {
    static constexpr std::array<std::string_view, 7> kSplits{
        "train", "training", "validation", "valid", "val", "test", "eval"};
    return std::ranges::find(kSplits, folder) != kSplits.end();
}

/// `wall`: seconds since 1970. Where the file system tells no birth, the last change counts.
bool isBornSince(const fs::path& file, double wall) {
    struct statx status {};
    if (::statx(AT_FDCWD, file.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_MTIME, &status) !=
        0)
        return false;
    const bool hasBirth = (status.stx_mask & STATX_BTIME) != 0;
    const statx_timestamp& time = hasBirth ? status.stx_btime : status.stx_mtime;
    // Times of files are those of the kernel's last tick.
    constexpr double kTick = 0.01;
    return static_cast<double>(time.tv_sec) + 1e-9 * time.tv_nsec >= wall - kTick;
}

ProgramFiles::Options absolute(ProgramFiles::Options options) {
    std::error_code ignored;
    for (fs::path* folder : {&options.folder, &options.runDir})
        *folder = fs::weakly_canonical(*folder, ignored);
    return options;
}

}  // namespace

ProgramFiles::ProgramFiles(Options options, Sink sink)
    : options_(absolute(std::move(options))), sink_(std::move(sink)) {
    auto watch = FolderWatch::open(
        {.wantsFile = FigureFile::mayBeOne,
         .entersFolder = [this](const fs::path& folder) { return entersFolder(folder); },
         .givesUp = [this] { return givesUp_(); }});
    if (!watch) {
        std::fprintf(stderr, "warning: event files and CSV logs are not followed: %s\n",
                     watch.error().message.c_str());
        finished_.store(true);
        return;
    }
    watch_ = std::move(*watch);
    thread_ = startThread("files", [this](const std::stop_token& stop) { loop(stop); });
}

ProgramFiles::~ProgramFiles() = default;  // the thread reads what is left, and is joined

/// Folders of tools, of environments and of other runs hold no figures of this program; what this
/// run's own folder holds of ours neither.
bool ProgramFiles::entersFolder(const fs::path& folder) const {
    const std::string name = folder.filename().string();
    if (name.starts_with('.') || name == "__pycache__" || name == "node_modules" ||
        name == "site-packages")
        return false;
    std::error_code ignored;
    if (fs::exists(folder / "pyvenv.cfg", ignored)) return false;
    if (folder == options_.runDir) return true;
    if (folder.parent_path() == options_.runDir)
        return name != "events" && name != "logs" && name != "checkpoints" && name != "slurm";
    return !fs::exists(folder / "journal", ignored) || !fs::exists(folder / "job.toml", ignored);
}

/// Once the program has ended, what is left of it is worth a short while: a disk may be slow, and
/// the whole job waits for this process.
bool ProgramFiles::givesUp(const std::stop_token& stop) {
    if (!stop.stop_requested()) return false;
    const Nanos now = SteadyClock::read();
    if (!deadline_) deadline_ = now + kLastPatience;
    return now >= *deadline_;
}

void ProgramFiles::loop(const std::stop_token& stop) {
    givesUp_ = [this, stop] { return givesUp(stop); };
    takeStock(options_.folder);
    if (!isBelow(options_.runDir, options_.folder)) takeStock(options_.runDir);
    while (!stop.stop_requested())
        lookAround(waiting_.empty() ? kInterval : kRetryInterval);
    readTheRest();
    sayLeftOut();
    finished_.store(true);
}

/// Begins to watch a folder: what is older than the program is not its own.
void ProgramFiles::takeStock(const fs::path& folder) {
    for (const fs::path& file : watch_->add(folder)) {
        if (givesUp_()) {
            ++filesUnread_;
            continue;
        }
        struct stat status {};
        if (isBornSince(file, began_))
            takeNews(file, SteadyClock::read());  // while the folders were still being listed
        else if (::lstat(file.c_str(), &status) == 0)
            former_[file] = {static_cast<std::uint64_t>(status.st_size), status.st_ino};
    }
}

/// Whether there was anything new, or there may be more.
bool ProgramFiles::lookAround(Nanos timeout) {
    const auto written = watch_->wait(timeout);
    const Nanos now = SteadyClock::read();
    for (const fs::path& file : written)
        takeNews(file, now);
    for (const auto& [file, undecided] : std::map(undecided_))
        if (now - undecided.asked >= kOwnerInterval) takeNews(file, now);
    for (auto& [path, followed] : followed_)
        if (followed.more && waiting_.size() < kMostWaiting) read(path, followed);
    handOn();
    sayUnwatched();
    return !written.empty() || !waiting_.empty() ||
           std::ranges::any_of(followed_, [](const auto& one) { return one.second.more; });
}

void ProgramFiles::readTheRest() {
    while (lookAround(waiting_.empty() ? Nanos{0} : kRetryInterval) && !givesUp_()) {
    }
    for (const auto& [file, undecided] : std::map(undecided_))
        takeNews(file, undecided.since + options_.ownerPatience);  // nobody will tell any more
    while (lookAround(waiting_.empty() ? Nanos{0} : kRetryInterval) && !givesUp_()) {
    }
    filesUnread_ += static_cast<std::uint64_t>(
        std::ranges::count_if(followed_, [](const auto& one) { return one.second.more; }));
}

/// How much it was in all: of rows and of files the first one was said when it was met.
void ProgramFiles::sayLeftOut() const {
    if (filesUnread_ > 0)
        std::fprintf(stderr, "warning: %s not read to the end in time\n",
                     countedWas(filesUnread_, "figure file").c_str());
    if (!waiting_.empty())
        std::fprintf(stderr, "warning: %s of files not taken in time\n",
                     countedWas(waiting_.size(), "figure").c_str());
    if (filesLeftOut_ > 1)
        std::fprintf(stderr, "warning: %s not followed\n",
                     countedWas(filesLeftOut_, "figure file").c_str());
    for (const auto& [path, followed] : followed_) {
        const std::uint64_t skipped = followed.file.skipped().count;
        if (skipped > 1)
            std::fprintf(stderr, "warning: %s left out of %s\n", countedWas(skipped, "row").c_str(),
                         shown(path).c_str());
    }
}

/// A file that is written from its beginning, or in another one's place, has nothing of before.
void ProgramFiles::forgetFormer(const fs::path& file) {
    const auto former = former_.find(file);
    struct stat status {};
    if (former == former_.end() || ::lstat(file.c_str(), &status) != 0) return;
    if (static_cast<std::uint64_t>(status.st_size) < former->second.size ||
        status.st_ino != former->second.inode)
        former_.erase(former);
}

void ProgramFiles::takeNews(const fs::path& file, Nanos now) {
    if (ignored_.contains(file)) return;
    if (givesUp_()) {
        if (const auto known = followed_.find(file); known != followed_.end())
            known->second.more = true;
        else
            ++filesUnread_;
        undecided_.erase(file);
        return;
    }
    forgetFormer(file);
    auto known = followed_.find(file);
    if (known == followed_.end()) {
        if (!decide(file, now)) return;
        follow(file);
        known = followed_.find(file);
        if (known == followed_.end()) return;
    }
    known->second.more = true;
    if (waiting_.size() < kMostWaiting) read(file, known->second);
}

/// Whether the file is to be followed here; what is not yet known is asked again.
bool ProgramFiles::decide(const fs::path& file, Nanos now) {
    const auto known = undecided_.find(file);
    const Nanos since = known == undecided_.end() ? now : known->second.since;
    const bool isOneTooMany = followed_.size() >= kMostFiles;
    const bool isLast = now - since >= options_.ownerPatience || isOneTooMany ||
                        (known == undecided_.end() && undecided_.size() >= kMostUndecided);
    // Every look goes through all processes of the host and what they have open.
    if (known != undecided_.end() && !isLast && now - known->second.asked < kOwnerPause)
        return false;
    const auto looks = FigureFile::look(file);
    if (looks == FigureFile::Looks::LikeAnother) ignore(file);
    if (looks != FigureFile::Looks::LikeOne) {
        undecided_.erase(file);  // it has gone, or become another: its next news decides anew
        return false;
    }
    const FileOwner owner = ownerOf(file, options_.supervisor);
    if (owner == FileOwner::Unknown && !isLast) {
        undecided_[file] = {since, now};
        return false;
    }
    undecided_.erase(file);
    if (owner == FileOwner::Own) return true;
    if (owner == FileOwner::Others || !options_.firstOnHost) {
        ignore(file);
        return false;
    }
    if (isOneTooMany) return true;
    std::fprintf(stderr,
                 "note: which process writes %s cannot be told: its figures are shown as those of "
                 "process %u\n",
                 shown(file).c_str(), options_.processId);
    return true;
}

/// What lies beyond is looked at again with each of its news: that costs time, and no memory.
void ProgramFiles::ignore(const fs::path& file) {
    if (ignored_.size() < kMostRemembered) ignored_.insert(file);
}

void ProgramFiles::follow(const fs::path& file) {
    if (followed_.size() >= kMostFiles) {
        ignore(file);
        if (filesLeftOut_++ == 0)
            std::fprintf(stderr, "warning: more than %zu files of figures: %s is not followed\n",
                         kMostFiles, shown(file).c_str());
        return;
    }
    FigureFile opened(file);
    if (const auto former = former_.find(file); former != former_.end()) {
        if (auto passed = opened.passOver(former->second.size, givesUp_); !passed) {
            if (passed.error().code == ErrorCode::Cancelled) ++filesUnread_;
            ignore(file);
            return;
        }
    }
    const std::string folder = file.parent_path().filename().string();
    followed_.emplace(file, Followed{std::move(opened), isSplit(folder) ? folder + "/" : ""});
}

void ProgramFiles::read(const fs::path& path, Followed& followed) {
    const auto more = followed.file.read(wallSeconds(), [&](FileFigure figure) {
        figure.name = nameOf(followed.prefix + figure.name, path);
        waiting_.push_back(std::move(figure));
    });
    saySkipped(path, followed);
    followed.more = more && *more;
    if (more) return;
    std::fprintf(stderr, "warning: %s is not followed any further: %s\n", shown(path).c_str(),
                 more.error().message.c_str());
    ignore(path);
}

void ProgramFiles::saySkipped(const fs::path& path, Followed& followed) {
    const telemetry::SkippedRows skipped = followed.file.skipped();
    if (skipped.count == 0 || std::exchange(followed.saidSkipped, true)) return;
    std::fprintf(stderr, "warning: line %llu of %s is left out: %s\n",
                 static_cast<unsigned long long>(skipped.firstLine), shown(path).c_str(),
                 sanitizeLine(skipped.firstWhy, 300).c_str());
}

/// Two folders may hold figures of one name, as torch's add_scalars makes them: whoever comes
/// second gets its folder's name before it.
std::string ProgramFiles::nameOf(const std::string& figure, const fs::path& file) {
    const fs::path folder = file.parent_path();
    // A run has room for far fewer names: figures of more are refused.
    if (namedBy_.size() >= kMostRemembered && !namedBy_.contains(figure)) return figure;
    const auto [owner, isNew] = namedBy_.try_emplace(figure, folder);
    if (isNew || owner->second == folder) return figure;
    return folder.filename().string() + "/" + figure;
}

void ProgramFiles::handOn() {
    while (!waiting_.empty() && sink_(waiting_.front()))
        waiting_.pop_front();
}

void ProgramFiles::sayUnwatched() {
    if (watch_->unwatched() == 0 || std::exchange(saidUnwatched_, true)) return;
    std::fprintf(stderr,
                 "note: %llu folders below %s are not watched for event files and CSV logs: there "
                 "are too many, or the system allows no more (fs.inotify.max_user_watches)\n",
                 static_cast<unsigned long long>(watch_->unwatched()),
                 shown(options_.folder).c_str());
}

}  // namespace lockstep::launch
