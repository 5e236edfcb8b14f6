// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/folder_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t kNews = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR |
                                IN_DONT_FOLLOW | IN_EXCL_UNLINK;
/// A folder of more files is one of data: what is made there later is seen all the same.
constexpr int kMostEntriesListed = 20'000;

}  // namespace

Result<FolderWatch> FolderWatch::open(Options options) {
    UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!fd.valid())
        return fail(ErrorCode::Unavailable, "folders cannot be watched: " + errnoText());
    return FolderWatch(std::move(fd), std::move(options));
}

std::vector<fs::path> FolderWatch::add(const fs::path& folder) {
    std::vector<fs::path> files;
    addBelow(folder, 0, files);
    return files;
}

void FolderWatch::addBelow(const fs::path& folder, int depth, std::vector<fs::path>& files) {
    const bool isTooMuch = folders_.size() >= options_.mostFolders || depth > options_.deepest;
    // Watched before it is listed: nothing is made unseen in between.
    const int watch = isTooMuch ? -1 : ::inotify_add_watch(fd_.get(), folder.c_str(), kNews);
    if (watch < 0) {
        if (isTooMuch || errno == ENOSPC) ++unwatched_;
        return;
    }
    folders_[watch] = {folder, depth};
    list(folder, depth, {}, files);
}

/// The wanted files of a folder that is watched, and what is below it but for the `known` folders.
void FolderWatch::list(const fs::path& folder, int depth, const std::set<fs::path>& known,
                       std::vector<fs::path>& files) {
    std::error_code error;
    int listed = 0;
    for (fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
         !error && entry != fs::directory_iterator() && listed < kMostEntriesListed &&
         !options_.givesUp();
         entry.increment(error), ++listed) {
        std::error_code ignored;
        if (entry->is_symlink(ignored)) continue;
        if (entry->is_directory(ignored)) {
            if (!known.contains(entry->path()) && options_.entersFolder(entry->path()))
                addBelow(entry->path(), depth + 1, files);
        } else if (options_.wantsFile(entry->path())) {
            files.push_back(entry->path());
        }
    }
}

std::vector<fs::path> FolderWatch::wait(Nanos timeout) {
    pollfd news{fd_.get(), POLLIN, 0};
    const auto milliseconds = std::chrono::ceil<Millis>(timeout).count();
    std::set<fs::path> written;
    if (::poll(&news, 1, static_cast<int>(milliseconds)) > 0) readNews(written);
    return {written.begin(), written.end()};
}

/// News was lost: every wanted file may have been written to, and there may be new folders.
void FolderWatch::listAgain(std::set<fs::path>& written) {
    // A folder that was removed, and perhaps made again, has another number under its name.
    for (const auto& [watch, watched] : std::map(folders_)) {
        const int now = ::inotify_add_watch(fd_.get(), watched.folder.c_str(), kNews);
        if (now == watch) continue;
        folders_.erase(watch);
        if (now >= 0) folders_[now] = watched;
    }
    const std::map<int, Watched> before = folders_;
    std::set<fs::path> known;
    for (const auto& [watch, watched] : before)
        known.insert(watched.folder);
    std::vector<fs::path> files;
    for (const auto& [watch, watched] : before)
        list(watched.folder, watched.depth, known, files);
    written.insert(files.begin(), files.end());
}

void FolderWatch::readNews(std::set<fs::path>& written) {
    alignas(inotify_event) std::array<char, 64 << 10> buffer;
    const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
    for (ssize_t at = 0; at < got;) {
        inotify_event event;
        std::memcpy(&event, buffer.data() + at, sizeof event);
        const char* name = buffer.data() + at + sizeof event;
        at += static_cast<ssize_t>(sizeof event + event.len);
        if ((event.mask & IN_Q_OVERFLOW) != 0) {
            listAgain(written);
            continue;
        }
        const auto known = folders_.find(event.wd);
        if (known == folders_.end()) continue;
        if ((event.mask & IN_IGNORED) != 0) {
            folders_.erase(known);
            continue;
        }
        if (event.len == 0) continue;
        const fs::path path = known->second.folder / name;
        if ((event.mask & IN_ISDIR) == 0) {
            if (options_.wantsFile(path)) written.insert(path);
        } else if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0 && options_.entersFolder(path)) {
            std::vector<fs::path> files;
            addBelow(path, known->second.depth + 1, files);
            written.insert(files.begin(), files.end());
        }
    }
}

}  // namespace lockstep::launch
