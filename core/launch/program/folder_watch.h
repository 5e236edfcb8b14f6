// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"

namespace lockstep::launch {

/// Tells which files below a folder are written to (inotify), in folders that are made later, too.
/// Bounded: what lies beyond is counted. Used by one thread.
class FolderWatch {
public:
    struct Options {
        std::function<bool(const std::filesystem::path&)> wantsFile{};
        std::function<bool(const std::filesystem::path&)> entersFolder{};
        /// Asked while folders are listed, which disks may be slow to do. True: no more of it.
        std::function<bool()> givesUp = [] { return false; };
        std::size_t mostFolders = 2000;
        int deepest = 12;
    };

    [[nodiscard]] static Result<FolderWatch> open(Options options);

    /// Watches a folder and those below it. The wanted files that are there are returned.
    std::vector<std::filesystem::path> add(const std::filesystem::path& folder);
    /// Waits up to `timeout` for news; the wanted files that were written to or made since.
    std::vector<std::filesystem::path> wait(Nanos timeout);
    /// Folders that are not watched, because there are too many or the system allows no more.
    [[nodiscard]] std::uint64_t unwatched() const { return unwatched_; }

private:
    FolderWatch(UniqueFd fd, Options options) : fd_(std::move(fd)), options_(std::move(options)) {}
    void addBelow(const std::filesystem::path& folder, int depth,
                  std::vector<std::filesystem::path>& files);
    void list(const std::filesystem::path& folder, int depth,
              const std::set<std::filesystem::path>& known,
              std::vector<std::filesystem::path>& files);
    void listAgain(std::set<std::filesystem::path>& written);
    void readNews(std::set<std::filesystem::path>& written);

    struct Watched {
        std::filesystem::path folder;
        int depth = 0;
    };
    UniqueFd fd_;
    Options options_;
    std::map<int, Watched> folders_;  ///< By the kernel's number of the watch.
    std::uint64_t unwatched_ = 0;
};

}  // namespace lockstep::launch
