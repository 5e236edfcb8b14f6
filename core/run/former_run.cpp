// SPDX-License-Identifier: Apache-2.0
#include "core/run/former_run.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <tuple>
#include <vector>

#include "core/base/file.h"
#include "core/base/summary_limit.h"
#include "core/run/run_folder.h"

namespace lockstep::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSmallFileLimit = 1 << 20;

/// Written anew, or removed, by every start.
std::vector<fs::path> rewritten(const RunPaths& paths) {
    return {paths.job(), paths.summary(), paths.processes(), paths.copyMark(),
            paths.events() / ".position"};
}

/// Appended to, or added, by every start.
std::vector<fs::path> growing(const RunPaths& paths) {
    std::vector<fs::path> files{paths.journal(), paths.epochs()};
    for (const fs::path& folder : {paths.logs(), paths.events()}) {
        std::error_code error;
        fs::recursive_directory_iterator entry(folder, error);
        for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
            if (std::error_code ignored; entry->is_regular_file(ignored))
                files.push_back(entry->path());
    }
    return files;
}

}  // namespace

FormerRun::FormerRun(const RunPaths& paths) : folder_(paths.folder), runId_(readRunId(paths)) {
    for (const fs::path& path : rewritten(paths)) {
        std::error_code error;
        if (!fs::exists(fs::symlink_status(path, error))) absent_.push_back(path);
        const auto most = path == paths.summary() ? kMostSummaryBytes : kSmallFileLimit;
        if (auto text = readFile(path, most)) contents_[path] = std::move(*text);
    }
    // Short as it is, and cut at its last epochs by every start.
    if (auto text = readFile(paths.epochs(), kSmallFileLimit))
        contents_[paths.epochs()] = std::move(*text);
    for (const fs::path& path : growing(paths)) {
        std::error_code error;
        const std::uintmax_t size = fs::file_size(path, error);
        if (!error)
            sizes_[path] = size;
        else if (std::error_code unknown; fs::exists(fs::symlink_status(path, unknown)))
            sizes_[path] = std::numeric_limits<std::uintmax_t>::max();
    }
}

std::string FormerRun::contentOf(const fs::path& path) const {
    const auto found = contents_.find(path);
    return found == contents_.end() ? std::string() : found->second;
}

std::string FormerRun::job() const {
    return contentOf(RunPaths{folder_}.job());
}

std::string FormerRun::summary() const {
    return contentOf(RunPaths{folder_}.summary());
}

void FormerRun::putBack() const {
    if (folder_.empty()) return;
    const RunPaths paths{folder_};
    std::error_code ignored;
    for (const fs::path& path : growing(paths)) {
        const auto former = sizes_.find(path);
        if (former == sizes_.end())
            fs::remove(path, ignored);
        else if (std::error_code error; fs::file_size(path, error) > former->second && !error)
            fs::resize_file(path, former->second, ignored);
    }
    // One that was there and could not be read then is whoever's it is by now, and stays.
    for (const fs::path& path : absent_)
        fs::remove(path, ignored);
    for (const auto& [path, text] : contents_)
        std::ignore = replaceFileDurably(path, text);
}

void FormerRun::putBackFacts() const {
    const RunPaths paths{folder_};
    for (const fs::path& path : {paths.job(), paths.summary()})
        if (const auto former = contents_.find(path); former != contents_.end())
            std::ignore = replaceFileDurably(path, former->second);
}

}  // namespace lockstep::run
