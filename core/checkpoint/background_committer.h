// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/commit_pace.h"
#include "core/checkpoint/shard_crew.h"
#include "core/checkpoint/snapshot.h"
#include "core/checkpoint/snapshot_copy.h"

namespace lockstep::checkpoint {

/// How one submitted snapshot ended.
struct CommitReport {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::filesystem::path folder;  ///< Empty on an error.
    std::uint64_t bytes = 0;
    double stallSeconds = 0;         ///< What the submitting thread waited for.
    double commitSeconds = 0;        ///< From the end of the copy until durable.
    std::optional<Error> error;      ///< Training may go on: the last checkpoint is still there.
    std::optional<Error> bestError;  ///< Committed, but BEST could not be moved.
    std::optional<Error> pruneError;
    std::vector<std::int64_t> removed;  ///< Steps of older ones that made way for it.
};

/// Which checkpoints stay, applied after each commit.
struct Retention {
    int keep = 1;  ///< As for CheckpointStore::prune.
    /// More that stay, once this one of so many bytes is there. May be empty.
    std::function<std::set<std::int64_t>(std::int64_t step, std::uint64_t bytes)> spared{};
};

/// One that is still being written.
struct SlowCommit {
    std::int64_t step = 0;
    Nanos age{};  ///< Of this process's own writing.
};

/// From when on a commit counts as hung, and who is told of each that does, once, on a thread of
/// its own; may be empty.
struct SlowCommits {
    CommitLimits limits{};
    std::function<void(const SlowCommit&)> onSlow{};
};

/// How long the end of a training waits for its last checkpoint.
struct LastCommitWait {
    Nanos flush{std::chrono::seconds(600)};  ///< For what the disk is busy with.
    Nanos room{std::chrono::seconds(300)};   ///< For a disk that is full: it is tried again so long
    Nanos pause{std::chrono::seconds(2)};    ///< with pauses between.
    std::function<void(const Error&)> onFull{};  ///< Called once, before the first pause.
    std::function<bool()> givesUp{};             ///< Nobody wants to wait any more.
};

/// Commits snapshots on a thread named `checkpoint`, so that the training step waits for a memory
/// copy only. Two copies at most exist: one being written, one waiting. One that could not be
/// written is kept until there is a newer one.
class BackgroundCommitter {
public:
    /// `onCommitted` is called on the committer's thread, once for every snapshot accepted, and
    /// once more when finish() has mended a failure. `crew`, who write parts of sharded ones, is
    /// spoken to there alone, and outlives the committer; null: nobody else writes.
    /// `beforeVisible` is called there, too, with the step of each that is written, before any
    /// reader sees it; what it waits for is nobody's writing.
    [[nodiscard]] static std::unique_ptr<BackgroundCommitter> start(
        CheckpointStore store, Retention retention,
        std::function<void(const CommitReport&)> onCommitted, ShardCrew* crew = nullptr,
        SlowCommits slow = {}, std::function<void(std::int64_t step)> beforeVisible = {});

    /// Writes what was accepted, then joins: as long as the disk takes. flush() first bounds it.
    virtual ~BackgroundCommitter() = default;

    /// Copies the tensors and returns how long the caller was held. Waits up to `timeout` for a
    /// free copy when the disk cannot keep up; then Timeout, and this snapshot is not taken.
    /// `isRight` is asked once in any case, behind the copy: what it denies is forgotten, and its
    /// error given back. IfHung::LeaveOut: the wait ends as soon as a commit counts as hung.
    [[nodiscard]] virtual Result<Seconds> submit(const Snapshot& snapshot, Nanos timeout,
                                                 const CopyCheck& isRight = {},
                                                 IfHung ifHung = IfHung::WaitOn) = 0;

    /// Whether submit() has to wait for the disk: all copies are still to be written.
    [[nodiscard]] virtual bool isBusy() = 0;

    /// Whether the commit under way takes too long by what this process writes alone: neither what
    /// the crew takes counts, nor what comes behind it.
    [[nodiscard]] virtual bool isHung() = 0;

    /// Until everything accepted is committed or has failed; Timeout after `timeout`.
    [[nodiscard]] virtual Result<void> flush(Nanos timeout) = 0;

    /// Until the newest snapshot that submit() was given, accepted or not, is durable, whatever
    /// became of older ones; its error when it cannot be. A full disk (NoRoom) is tried
    /// again for `wait.room`. Well where nothing was submitted. Then the crew is told that there
    /// is nothing more to write; by the thread, when it is done, where it is busy for longer than
    /// `wait.flush`.
    [[nodiscard]] virtual Result<void> finish(const LastCommitWait& wait) = 0;
};

}  // namespace lockstep::checkpoint
