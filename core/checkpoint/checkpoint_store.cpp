// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <set>
#include <system_error>
#include <tuple>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/folder_ops.h"
#include "core/checkpoint/kept_mark.h"
#include "core/checkpoint/layout.h"

namespace lockstep::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestPointer = 256;
constexpr int kLeaseAttempts = 3;

Result<std::vector<std::string>> namesIn(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
        names.push_back(entry->path().filename().string());
    if (error)
        return fail(ErrorCode::Io,
                    fmt::format("cannot list {}: {}", folder.string(), error.message()));
    return names;
}

}  // namespace

Result<CheckpointStore> CheckpointStore::open(const fs::path& folder, Access access) {
    std::error_code error;
    if (access == Access::Read) {
        if (!fs::is_directory(folder, error))
            return fail(
                ErrorCode::NotFound,
                fmt::format("there are no checkpoints: {} is not a folder", folder.string()));
        return CheckpointStore(folder, UniqueFd());
    }
    fs::create_directories(folder, error);
    if (error)
        return fail(ErrorCode::Io,
                    fmt::format("cannot create {}: {}", folder.string(), error.message()),
                    "Choose a run folder that can be written.");
    auto lock = lockFolder(folder, LockKind::Exclusive);
    if (!lock && lock.error().code == ErrorCode::Unavailable)
        return fail(ErrorCode::Unavailable,
                    fmt::format("another process writes checkpoints to {}", folder.string()),
                    "Wait until it has ended, or choose another run folder.");
    if (!lock) return fail(lock.error());
    CheckpointStore store(folder, std::move(*lock));
    store.removeLeftovers();
    return store;
}

fs::path CheckpointStore::folderOf(std::int64_t step) const {
    return folder_ / folderName(step);
}

void CheckpointStore::removeLeftovers() {
    const auto names = namesIn(folder_);
    if (!names) return;
    for (const std::string& name : *names) {
        if (!isTemporaryName(name)) continue;  // never touch what we did not make
        std::error_code error;
        if (fs::is_directory(fs::symlink_status(folder_ / name, error)))
            removeFolderUnlessLeased(folder_ / name);
        else
            fs::remove(folder_ / name, error);
    }
}

Result<Committed> CheckpointStore::commit(const Snapshot& snapshot, ShardCrew* crew,
                                          const std::function<void()>& beforeVisible) try {
    LS_CHECK(writerLock_.valid(), "only a store opened for writing commits");
    const std::int64_t step = snapshot.state.step;
    const fs::path temporary = folder_ / temporaryName(step);
    const std::string place = fmt::format("checkpoint of step {}", step);
    const auto bytes = writeCheckpoint(temporary, snapshot, crew);
    if (!bytes) {
        removeFolderUnlessLeased(temporary);
        return failWithin(place, bytes.error());
    }
    if (beforeVisible) beforeVisible();
    if (auto published = publish(temporary, step); !published) {
        removeFolderUnlessLeased(temporary);
        return failWithin(place, published.error());
    }
    Committed committed{folderOf(step), *bytes};
    if (auto moved = moveBest(snapshot.state.best.step); !moved)
        committed.bestError = moved.error();
    return committed;
} catch (const std::exception& error) {  // out of memory
    return fail(ErrorCode::Unavailable,
                fmt::format("checkpoint of step {}: {}", snapshot.state.step, error.what()));
}

/// Gives the complete checkpoint its name, then lets LATEST name it. Whatever fails, `temporary`
/// is what is to be removed afterwards.
Result<void> CheckpointStore::publish(const fs::path& temporary, std::int64_t step) {
    TRY(renameOrExchange(temporary, folderOf(step)));
    std::error_code error;
    auto durable = syncFolder(folder_);
    if (durable) durable = replaceFileDurably(folder_ / kLatestFile, encodePointer(step));
    if (durable) {
        if (fs::exists(temporary, error))
            removeFolderUnlessLeased(temporary);  // the one it replaced
        return {};
    }
    // Taken back, unless readers may have been sent there already.
    if (latest().value_or(-1) != step) {
        auto undone = fs::exists(temporary, error) ? renameOrExchange(temporary, folderOf(step))
                                                   : renameOrExchange(folderOf(step), temporary);
        std::ignore = undone;  // a complete checkpoint that stays behind does no harm
    }
    return durable;
}

Result<void> CheckpointStore::adopt(std::int64_t step, std::int64_t best) {
    LS_CHECK(writerLock_.valid(), "only a store opened for writing adopts");
    std::error_code error;
    if (!fs::is_directory(folderOf(step), error))
        return fail(ErrorCode::NotFound,
                    fmt::format("checkpoint {} does not exist", folderOf(step).string()));
    if (latest().value_or(-1) != step)
        TRY(replaceFileDurably(folder_ / kLatestFile, encodePointer(step)));
    return moveBest(best);
}

/// Done at every commit, so that what a crash or a full disk left behind is put right by the next.
Result<void> CheckpointStore::moveBest(std::int64_t step) const {
    if (step == 0 || best().value_or(0) == step) return {};
    std::error_code error;
    if (!fs::exists(folderOf(step), error)) return {};  // pruned by a former life of the run
    return replaceFileDurably(folder_ / kBestFile, encodePointer(step));
}

Result<std::vector<std::int64_t>> CheckpointStore::list() const {
    const auto names = TRY(namesIn(folder_));
    std::vector<std::int64_t> steps;
    for (const std::string& name : names)
        if (const auto step = stepOfFolder(name)) steps.push_back(*step);
    std::sort(steps.begin(), steps.end());
    return steps;
}

Result<std::vector<std::int64_t>> CheckpointStore::newestFirst() const {
    auto steps = TRY(list());
    std::ranges::reverse(steps);
    const auto named = latest();
    if (named && std::ranges::find(steps, *named) != steps.end())
        std::ranges::stable_partition(steps, [&](std::int64_t step) { return step <= *named; });
    return steps;
}

Result<std::int64_t> CheckpointStore::latest() const {
    return readPointer(kLatestFile);
}

Result<std::int64_t> CheckpointStore::best() const {
    return readPointer(kBestFile);
}

Result<std::int64_t> CheckpointStore::readPointer(const char* name) const {
    const auto text = TRY(readFile(folder_ / name, kLargestPointer));
    if (const auto step = parsePointer(text)) return *step;
    return fail(ErrorCode::Corrupt,
                fmt::format("{} does not name a checkpoint", (folder_ / name).string()));
}

/// The first that `take` takes, of those that are not suspect if it can be.
template <typename Take>
Result<LatestGood> CheckpointStore::firstGood(const Take& take) const {
    auto candidates = TRY(newestFirst());
    LatestGood result;
    const auto named = latest();
    if (named && std::ranges::find(candidates, *named) == candidates.end())
        candidates.insert(candidates.begin(), *named);  // it is gone, which is to be said
    if (!named && named.error().code != ErrorCode::NotFound)
        result.rejected.push_back(named.error().message);
    const auto trusted =
        std::stable_partition(candidates.begin(), candidates.end(),
                              [this](std::int64_t step) { return !suspicionOf(folder_, step); });
    for (const std::int64_t step : candidates) {
        const Result<void> taken = take(step, result);
        if (taken) {
            result.step = step;
            break;
        }
        result.rejected.push_back(taken.error().message);
    }
    result.suspects = suspectsBefore(result.step, {trusted, candidates.end()});
    return result;
}

/// Of `marked`, newest first, those that `taken` was taken in the place of; where it is itself one
/// of them, it alone.
std::vector<Suspicion> CheckpointStore::suspectsBefore(
    std::optional<std::int64_t> taken, const std::vector<std::int64_t>& marked) const {
    std::vector<Suspicion> suspects;
    if (!taken) return suspects;
    const bool isMarked = std::ranges::find(marked, *taken) != marked.end();
    const auto named = latest();
    for (const std::int64_t step : marked) {
        const bool isGivenUp = named && step > *named;
        if (isMarked ? step != *taken : step < *taken || isGivenUp) continue;
        if (auto suspicion = suspicionOf(folder_, step)) suspects.push_back(std::move(*suspicion));
    }
    return suspects;
}

Result<LatestGood> CheckpointStore::latestGood(Contents contents) const {
    return firstGood(
        [this, contents](std::int64_t step, LatestGood&) { return verify(step, contents); });
}

Result<LatestGood> CheckpointStore::loadLatestGood(const ReadFolder& read) const {
    return firstGood([this, &read](std::int64_t step, LatestGood& good) -> Result<void> {
        good.loaded = TRY(read ? loadBy(step, read) : load(step));
        return {};
    });
}

Result<void> CheckpointStore::verify(std::int64_t step, Contents contents) const try {
    const auto held = TRY(lease(step));
    const auto verified = verifyCheckpoint(held.folder(), step, contents);
    return verified ? Result<void>{} : failWithin(folderOf(step).string(), verified.error());
} catch (const std::exception& error) {  // out of memory
    return fail(ErrorCode::Unavailable,
                fmt::format("{}: {}", folderOf(step).string(), error.what()));
}

Result<LoadedCheckpoint> CheckpointStore::load(std::int64_t step, Contents contents) const {
    return loadBy(step, [contents](int folder, std::int64_t one) {
        return readCheckpoint(folder, one, contents);
    });
}

Result<LoadedCheckpoint> CheckpointStore::loadBy(std::int64_t step, const ReadFolder& read) const
    try {
    const auto held = TRY(lease(step));
    auto loaded = read(held.folder(), step);
    if (!loaded) return failWithin(folderOf(step).string(), loaded.error());
    return loaded;
} catch (const std::exception& error) {  // out of memory
    return fail(ErrorCode::Unavailable,
                fmt::format("{}: {}", folderOf(step).string(), error.what()));
}

Result<Lease> CheckpointStore::lease(std::int64_t step) const {
    const fs::path path = folderOf(step);
    for (int attempt = 0; attempt < kLeaseAttempts; ++attempt) {
        auto folder = lockFolder(path, LockKind::Shared);
        if (!folder && folder.error().code == ErrorCode::Io) return fail(folder.error());
        if (!folder) break;
        // Between open and lock it may have been pruned, or replaced by a newer commit.
        if (isStillAt(folder->get(), path)) return Lease(std::move(*folder));
    }
    return fail(ErrorCode::NotFound,
                fmt::format("checkpoint {} does not exist (any more)", path.string()));
}

Result<std::vector<std::int64_t>> CheckpointStore::prune(int keep, std::int64_t best,
                                                         const std::set<std::int64_t>& spared,
                                                         std::optional<std::int64_t> good) {
    LS_CHECK(writerLock_.valid(), "only a store opened for writing prunes");
    removeLeftovers();
    auto steps = TRY(newestFirst());
    std::ranges::stable_partition(
        steps, [this](std::int64_t step) { return !suspicionOf(folder_, step); });
    const auto kept = static_cast<std::size_t>(std::max(keep, 1));
    std::vector<std::int64_t> removed;
    if (steps.size() <= kept) return removed;
    if (!good) good = TRY(latestGood()).step;
    if (!good) return removed;
    const std::set<std::int64_t> needed{latest().value_or(-1), this->best().value_or(-1),
                                        best > 0 ? best : -1, *good};
    for (std::size_t i = steps.size(); i-- > kept;)
        if (!needed.contains(steps[i]) && !spared.contains(steps[i]) &&
            !isKept(folder_, steps[i]) && removeUnlessLeased(steps[i]))
            removed.push_back(steps[i]);
    return removed;
}

bool CheckpointStore::removeUnlessLeased(std::int64_t step) {
    const auto lock = lockFolder(folderOf(step), LockKind::Exclusive);
    // Marks are made under a lock: one may have come before this one, and none comes under it.
    if (!lock || isKept(folder_, step)) return false;
    // Renamed first: nobody ever sees a step's folder with half of its files.
    const fs::path temporary = folder_ / temporaryName(step);
    std::error_code error;
    fs::rename(folderOf(step), temporary, error);
    if (error) return false;
    fs::remove_all(temporary, error);  // what stays is removed by the next clean-up
    return true;
}

}  // namespace lockstep::checkpoint
