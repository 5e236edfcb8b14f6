// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/checkpoint/shard_crew.h"
#include "core/checkpoint/snapshot.h"
#include "core/checkpoint/suspect_mark.h"

namespace lockstep::checkpoint {

/// Keeps one checkpoint from being pruned while it lives, across processes.
class Lease {
public:
    Lease() = default;
    explicit Lease(UniqueFd folder) : folder_(std::move(folder)) {}
    /// The checkpoint's folder, open.
    [[nodiscard]] int folder() const { return folder_.get(); }

private:
    UniqueFd folder_;
};

/// The newest checkpoint that passes its checks, if any, and why newer ones did not.
struct LatestGood {
    std::optional<std::int64_t> step;
    std::vector<std::string> rejected;  ///< A sentence each.
    /// Newer ones that are marked, and so passed over. Where no other one is good, those marked are
    /// taken all the same.
    std::vector<Suspicion> suspects{};
    std::optional<LoadedCheckpoint> loaded{};  ///< Of loadLatestGood().
};

/// What a commit wrote.
struct Committed {
    std::filesystem::path folder;
    std::uint64_t bytes = 0;
    std::optional<Error> bestError{};  ///< The checkpoint is there, but BEST could not be moved.
};

/// The folder of a run's checkpoints: `step-N/` {model.safetensors, optimizer.safetensors,
/// state.json, manifest.json}, `LATEST`, which names the newest, and `BEST`, which names the best
/// by the figure that the job watches, if it does. Sharded ones have {model/, optimizer/} with
/// any number of files instead of the two; whoever reads gets the same of both. A checkpoint
/// appears whole or not at all, also through crashes and power cuts; every byte is covered by a
/// checksum. One process writes (enforced by a lock), any number read. One thread uses a store at a
/// time.
class CheckpointStore {
public:
    enum class Access : std::uint8_t { Read, Write };

    /// Write: creates the folder, takes the writer's lock and removes what crashed writers left.
    /// Unavailable when another process writes here. Read: NotFound when there is no such folder.
    [[nodiscard]] static Result<CheckpointStore> open(const std::filesystem::path& folder,
                                                      Access access);

    /// Makes `snapshot` the latest checkpoint, durably; then BEST names what `snapshot.state.best`
    /// says, as soon as that one is there. On an error (disk full, I/O error) nothing
    /// changed for readers, and the same store may be used for a later snapshot. Of a sharded one
    /// `crew` writes what `snapshot` has not; it is committed when all of that is there.
    /// `beforeVisible` is called once all is written, before any reader sees it.
    [[nodiscard]] Result<Committed> commit(const Snapshot& snapshot, ShardCrew* crew = nullptr,
                                           const std::function<void()>& beforeVisible = {});

    /// Lets LATEST name a checkpoint that has come whole from another folder, and BEST what is best
    /// there (0: nothing), where it is here. NotFound when it is not here.
    [[nodiscard]] Result<void> adopt(std::int64_t step, std::int64_t best);

    /// Steps of the checkpoints that are there, ascending; damaged ones included.
    [[nodiscard]] Result<std::vector<std::int64_t>> list() const;

    /// The same, the one that was saved last first: LATEST's, those of former steps, and at the end
    /// those of later ones, which whoever went back to an earlier step has given up.
    [[nodiscard]] Result<std::vector<std::int64_t>> newestFirst() const;

    /// Step that LATEST names; NotFound before the first commit, Corrupt when it is damaged.
    [[nodiscard]] Result<std::int64_t> latest() const;

    /// Step that BEST names; NotFound where none is kept, Corrupt when it is damaged.
    [[nodiscard]] Result<std::int64_t> best() const;

    /// The first of newestFirst() that verifies and is not marked as suspect; of those that are
    /// where there is no other. Reads those contents whole.
    [[nodiscard]] Result<LatestGood> latestGood(Contents contents = Contents::All) const;
    /// Reads the checkpoint of that step in its open folder; errors as readCheckpoint's.
    using ReadFolder = std::function<Result<LoadedCheckpoint>(int folder, std::int64_t step)>;
    /// The same, read in that moment: no byte twice. `read` may be of those who need less of it.
    [[nodiscard]] Result<LatestGood> loadLatestGood(const ReadFolder& read = {}) const;

    /// Reads every byte and compares it with the manifest. Corrupt names the file or tensor.
    [[nodiscard]] Result<void> verify(std::int64_t step, Contents contents = Contents::All) const;

    /// Read and verified, as far as it is read; under a lease. NotFound when it has been pruned.
    [[nodiscard]] Result<LoadedCheckpoint> load(std::int64_t step,
                                                Contents contents = Contents::All) const;

    /// While it lives, `prune` of any process spares the checkpoint.
    [[nodiscard]] Result<Lease> lease(std::int64_t step) const;

    /// Removes all but the first `keep` of newestFirst(), in which those marked as suspect come
    /// last; spares LATEST's, BEST's and `best` (which
    /// BEST may not name yet), the newest that verifies, leased ones, those with a user's mark
    /// (kept_mark.h) and `spared`. `good`: a step that the caller takes for one that verifies, so
    /// that nothing is read. Returns the steps removed.
    [[nodiscard]] Result<std::vector<std::int64_t>> prune(int keep, std::int64_t best = 0,
                                                          const std::set<std::int64_t>& spared = {},
                                                          std::optional<std::int64_t> good = {});

    /// Puts damaged checkpoints aside, as `damaged-step-N`, where another one is good, and lets
    /// LATEST name the newest good one, and BEST the one that this knows as the best; a BEST for
    /// which there is none is put aside, too. What was done, a sentence each. For a run that nobody
    /// goes on with meanwhile.
    [[nodiscard]] Result<std::vector<std::string>> repair();

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] std::filesystem::path folderOf(std::int64_t step) const;

private:
    CheckpointStore(std::filesystem::path folder, UniqueFd writerLock)
        : folder_(std::move(folder)), writerLock_(std::move(writerLock)) {}

    void removeLeftovers();
    [[nodiscard]] Result<LoadedCheckpoint> loadBy(std::int64_t step, const ReadFolder& read) const;
    template <typename Take>
    [[nodiscard]] Result<LatestGood> firstGood(const Take& take) const;
    [[nodiscard]] std::vector<Suspicion> suspectsBefore(
        std::optional<std::int64_t> taken, const std::vector<std::int64_t>& marked) const;
    [[nodiscard]] Result<std::int64_t> readPointer(const char* name) const;
    [[nodiscard]] Result<void> moveBest(std::int64_t step) const;
    [[nodiscard]] Result<void> publish(const std::filesystem::path& temporary, std::int64_t step);
    [[nodiscard]] bool removeUnlessLeased(std::int64_t step);

    std::filesystem::path folder_;
    UniqueFd writerLock_;  ///< The folder, locked; not valid in a reader.
};

}  // namespace lockstep::checkpoint
