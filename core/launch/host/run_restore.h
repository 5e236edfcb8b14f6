// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// The host of process 0 is lost, and the run's folder with it: whoever has its place in the plan
/// goes on from the copy that another host of the plan has, in a folder that is new.
struct CopyTakeover {
    std::string copyHost;             ///< As ssh knows it.
    std::string lostHost;             ///< That had the run's folder.
    std::string folderName;           ///< Of the new one.
    std::vector<std::string> runIds;  ///< Of the run's starts: the copy is known by them.
    std::int64_t trainedTo = 0;       ///< The newest step that was heard of.
};

/// Another host than process 0's had the run's folder at the run's last start, as the launcher has
/// it on record: a spare that had taken over, or a job file that has changed since.
struct FormerHome {
    std::string host;  ///< As ssh knew it.
    std::string folder;
    bool isListed = false;      ///< It is one of the job's hosts, which are asked.
    std::size_t processes = 0;  ///< Of the job.
};

/// Where a run, or a copy of it, lies.
struct RunFolderOnHost {
    std::size_t host = 0;  ///< As `ask` counts them.
    std::string name;      ///< For sentences.
    std::string folder;
};

/// Before a run is gone on with: puts its newest good checkpoint, its best one and its journal back
/// into its folder where they are damaged or gone, from whichever host of the job has a copy. What
/// goes from host to host passes through the launcher, a piece at a time. Blocks; one thread.
class RunRestore {
public:
    /// For what reads or writes a whole checkpoint: the host must answer that it lives meanwhile,
    /// and a disk that hangs for ever must not hold up whoever is not there to see it.
    static constexpr Nanos kWhileItAnswers = std::chrono::hours(1);
    /// Asks one host and waits for the answer. Its errors end the restore.
    using Ask = std::function<Result<wire::FromHost>(std::size_t host, const wire::ToHost& request,
                                                     Nanos timeout)>;
    using Say = std::function<void(const std::string&)>;

    /// `mirror`: the launcher's own copy of the run's folder, without checkpoints; empty: none.
    RunRestore(Ask ask, Say say, RunFolderOnHost home, std::vector<RunFolderOnHost> others,
               std::filesystem::path mirror)
        : ask_(std::move(ask)),
          say_(std::move(say)),
          home_(std::move(home)),
          others_(std::move(others)),
          mirror_(std::move(mirror)) {}

    /// What was fetched from where, a sentence, and whom nobody has asked; empty: nothing had to
    /// be, or nobody has it. BadInput where there is nothing to go on with anywhere, or `former`
    /// alone has the newest checkpoint and is not asked. Unavailable: the run still goes on
    /// elsewhere.
    [[nodiscard]] Result<std::string> run(const std::optional<FormerHome>& former = {});
    /// The same where the run's folder is lost, and its own is a new one: all of it comes from the
    /// copy that the only other host has. What the run goes on from and what that costs, a
    /// sentence. Errors where that is no copy of the run, or one that somebody has gone on from, or
    /// holds.
    [[nodiscard]] Result<std::string> takeCopy(const CopyTakeover& lost);

private:
    struct Found {
        RunFolderOnHost place;
        wire::RunSurvey survey;
    };

    [[nodiscard]] Result<wire::RunSurvey> list(const RunFolderOnHost& place);
    [[nodiscard]] Result<wire::RunSurvey> survey(const RunFolderOnHost& place, std::int64_t beyond);
    [[nodiscard]] Result<std::optional<Found>> newestElsewhere(std::int64_t beyond);
    /// `newest`: the step that was committed last, as far as the launcher knows; 0: it does not.
    [[nodiscard]] Result<std::string> restore(const std::optional<FormerHome>& former,
                                              std::int64_t newest);
    [[nodiscard]] bool goesOn(const wire::RunSurvey& other, const wire::RunSurvey& home) const;
    [[nodiscard]] Result<void> checkNewest(const FormerHome& former, std::int64_t newest,
                                           const wire::RunSurvey& home,
                                           const std::vector<Found>& others) const;
    [[nodiscard]] Result<std::string> restoreCheckpoints(bool mayBeNewerElsewhere = false);
    [[nodiscard]] Result<void> checkAtRest(const Found& other, const FormerHome& former) const;
    [[nodiscard]] Result<void> checkIsCopy(const Found& copy, const CopyTakeover& lost) const;
    [[nodiscard]] std::string costOf(const CopyTakeover& lost) const;
    [[nodiscard]] Result<void> fetchCheckpoint(const RunFolderOnHost& place,
                                               wire::StorePiece placing);
    [[nodiscard]] Result<std::string> readPiece(const RunFolderOnHost& place, std::int64_t step,
                                                const std::string& file, std::uint64_t offset);
    [[nodiscard]] Result<std::string> readManifest(const RunFolderOnHost& place, std::int64_t step);
    [[nodiscard]] Result<std::string> restoreJournal(const Found& longest, bool replaces = false);
    [[nodiscard]] Result<void> fetchJob(const RunFolderOnHost& place);
    [[nodiscard]] Result<std::string> readRunFile(const RunFolderOnHost& place,
                                                  const std::string& name, std::uint64_t offset);
    [[nodiscard]] wire::StorePiece pieceOf(std::int64_t step, const std::string& file,
                                           std::uint64_t offset, std::string bytes) const;
    [[nodiscard]] Result<void> store(wire::StorePiece piece);

    const Ask ask_;
    const Say say_;
    const RunFolderOnHost home_;
    const std::vector<RunFolderOnHost> others_;
    const std::filesystem::path mirror_;
    std::int64_t step_ = -1;  ///< That the run goes on from, once it is looked for.
    /// Steps that are marked at home: a mark that has not come to a copy holds for it, too.
    std::vector<std::int64_t> suspects_;
    std::string bestLost_;  ///< Why the best checkpoint is not there, where it is not.
};

}  // namespace lockstep::launch
