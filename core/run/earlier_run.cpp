// SPDX-License-Identifier: Apache-2.0
#include "core/run/earlier_run.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/run/run_folder.h"

namespace lockstep::run {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAside = "earlier";
/// Where a run on other hosts is served, and has its checkpoints: nobody else knows.
constexpr const char* kRemoteRecord = "remote.json";

/// What a journal has besides itself: ends that were cut off, bytes that could not be read.
bool isBesideJournal(const fs::path& name) {
    return name.string().starts_with("journal.");
}

/// What there is of a run. The journal comes last: as long as it is there, no resume begins anew
/// for want of the checkpoints that it tells of.
std::vector<fs::path> partsOf(const RunPaths& paths) {
    std::vector<fs::path> names;
    std::error_code error;
    for (const fs::path& path : {paths.checkpoints(), paths.events(), paths.epochs(), paths.logs(),
                                 paths.summary(), paths.copyMark(), paths.job(), paths.journal()})
        if (fs::exists(fs::symlink_status(path, error))) names.push_back(path.filename());
    for (fs::directory_iterator entry(paths.folder, error);
         !error && entry != fs::directory_iterator(); entry.increment(error))
        if (isBesideJournal(entry->path().filename()))
            names.insert(names.begin(), entry->path().filename());
    if (!names.empty() && fs::exists(paths.folder / kRemoteRecord, error))
        names.insert(names.begin(), kRemoteRecord);
    return names;
}

}  // namespace

Result<EarlierRun> EarlierRun::putAside(const RunPaths& paths) {
    EarlierRun earlier;
    const std::vector<fs::path> names = partsOf(paths);
    if (names.empty()) return earlier;
    earlier.folder_ = paths.folder;
    earlier.runId_ = readRunId(paths);
    earlier.aside_ = TRY(reserveFolder(paths.folder, kAside));
    if (auto moved = earlier.move(names); !moved) {
        earlier.putBack();
        return fail(moved.error());
    }
    return earlier;
}

Result<void> EarlierRun::move(const std::vector<fs::path>& names) {
    for (const fs::path& name : names) {
        std::error_code error;
        fs::rename(folder_ / name, aside_ / name, error);
        if (error)
            return fail(ErrorCode::BadInput,
                        fmt::format("{} cannot be moved to {}: {}", (folder_ / name).string(),
                                    aside_.string(), error.message()),
                        "Nothing was changed. Name another folder with --run-dir, without "
                        "--resume.");
        names_.push_back(name);
    }
    TRY(syncFolder(aside_));
    return syncFolder(folder_);
}

std::string EarlierRun::note() const {
    if (aside_.empty()) return {};
    return fmt::format(
        "training begins at step 0, as asked: what the run had before lies in {} and is not "
        "touched any more",
        aside_.string());
}

void EarlierRun::putBack() {
    std::error_code ignored;
    for (const fs::path& name : std::exchange(names_, {})) {
        fs::remove_all(folder_ / name, ignored);
        fs::rename(aside_ / name, folder_ / name, ignored);
    }
    fs::remove(std::exchange(aside_, {}), ignored);
}

}  // namespace lockstep::run
