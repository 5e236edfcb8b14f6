// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/coordination/monitor/monitor_client.h"
#include "core/job/source/journal_source.h"
#include "core/job/source/next_start.h"
#include "core/job/source/start_ledger.h"
#include "core/launch/host/remote_run.h"
#include "core/launch/host/spare_search.h"
#include "core/run/run_folder.h"
#include "core/run/run_mirror.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// Launches a run on other hosts, or comes back to one, and follows it: the journal is pulled from
/// its coordinator through the connection, from where the copy in this machine's run folder ends,
/// and copied there; after an interruption it goes on without a gap. A tied run ends when this
/// source is destroyed; while it lives, a loss of one of the hosts, or of its agent, is followed by
/// another start on all of them, as often as launch.max_restarts allows: the run goes on from its
/// newest checkpoint. A host that is not reached again is replaced by a spare, where there is one,
/// or left behind, where the job says that fewer processes are enough.
class RemoteSource final : public JournalSource {
public:
    struct Options {
        run::RunPaths paths;            ///< Of this machine's run folder.
        std::filesystem::path created;  ///< The topmost folder made for it; empty: none.
        std::variant<launch::RemoteOrder, launch::RemoteRun::Comeback> what;
        launch::MakeLinks makeLinks;
        std::string sshConfig;
        StartPatience patience{};
    };
    explicit RemoteSource(Options options);

    [[nodiscard]] Result<std::optional<Piece>> next(Nanos timeout) override;
    [[nodiscard]] Status status() const override { return status_; }
    [[nodiscard]] std::string takeWarning() override;
    void requestStop() override;
    void kill() override;
    void waitLonger() override;
    void drill(const DrillOrder& order) override;

private:
    using Phase = launch::RemoteRun::Phase;
    using Pulled = Result<std::optional<Piece>>;

    [[nodiscard]] launch::RemoteOrder* order() {
        return std::get_if<launch::RemoteOrder>(&options_.what);
    }
    [[nodiscard]] bool asked() const { return stopRequested_ || killRequested_; }
    /// The run has ended for an agent that only this launcher starts again.
    [[nodiscard]] bool isOrphaned() const {
        return end_ && end_->status() == "failed" && ledger_.lostAgent();
    }
    [[nodiscard]] launch::RemoteFailure lossOfOrphan();
    [[nodiscard]] bool mayBeginAgain(const launch::RemoteRun::State& state);
    [[nodiscard]] std::optional<launch::RemoteFailure> lossOf(
        const launch::RemoteRun::State& state);
    [[nodiscard]] bool beginsAgain(const launch::RemoteFailure& loss,
                                   const launch::RemoteRun::State& state);
    [[nodiscard]] bool repeatsItself();
    void endLost(Nanos timeout);
    void awaitStart(Nanos timeout);
    void start();
    [[nodiscard]] bool triesAgain(const std::string& why);
    void endWithoutStart(const launch::RemoteFailure& failure);
    void tellWhatDetachedRunsLack();
    void lookAtSpares();
    void tellOfSpares(const std::vector<launch::SpareFacts>& spares);
    [[nodiscard]] launch::SpareNeeds spareNeedsOf(const launch::HostPlan& plan);
    [[nodiscard]] Nanos untilItHasEnded();
    [[nodiscard]] Nanos spareAfter();
    [[nodiscard]] wire::HostReplacement* broughtBy(const std::string& host);
    [[nodiscard]] bool givesUpSpare(const launch::RemoteFailure& failure);
    [[nodiscard]] bool seeksSpare(const launch::RemoteFailure& failure);
    [[nodiscard]] Result<void> awaitSpare(Nanos timeout);
    [[nodiscard]] Result<void> replaceUnreached(const launch::SpareFacts& spare);
    [[nodiscard]] std::optional<std::string> copyHost();
    [[nodiscard]] bool leavesBehind(const launch::RemoteFailure& failure);
    void endOrLeaveBehind(const launch::RemoteFailure& failure);
    void seekHome();
    void lookAtHome();
    void awaitHome(Nanos timeout);
    void goOnWithFewer();
    void decideTakeover(const launch::SpareFacts& spare);
    [[nodiscard]] Result<void> goOnFrom(std::uint64_t journalStart);
    [[nodiscard]] Result<void> settleIn(const launch::RemotePlace& place);
    [[nodiscard]] Result<void> putAside();
    void putBack();
    [[nodiscard]] Pulled replay();
    [[nodiscard]] Pulled follow(const launch::RemoteRun::State& state, Nanos timeout);
    [[nodiscard]] Pulled readRest(const launch::RemoteRun::State& state, Nanos timeout);
    [[nodiscard]] Pulled awaitRest(const launch::RemoteRun::State& state, const Error& error,
                                   Nanos timeout);
    [[nodiscard]] Pulled wait(const launch::RemoteRun::State& state, Nanos timeout);
    [[nodiscard]] Result<void> connect(const launch::RemoteRun::State& state);
    [[nodiscard]] Pulled take(std::uint64_t offset, std::string frames);
    void copy(std::uint64_t offset, const std::string& frames);
    void finish(const launch::RemoteRun::State& state);
    void failWith(const launch::RemoteFailure& failure);
    void noteRunEnd(const std::string& frames);
    void noteReach(const launch::RemoteRun::State& state);
    [[nodiscard]] bool killIsDue(const launch::RemoteRun::State& state) const;
    [[nodiscard]] bool endIsDue(const launch::RemoteRun::State& state) const;
    void removeUnused() const;
    void noteEnd();

    Options options_;
    std::unique_ptr<launch::RemoteRun> run_;     ///< Null between a loss and the next start.
    std::unique_ptr<launch::RemoteRun> ending_;  ///< The lost one.
    bool isLossShown_ = false;
    std::optional<NextStart> next_;  ///< From a loss until the next start is reached.
    int maxRestarts_ = 0;            ///< Of a tied launch.
    StartLedger ledger_{0};
    std::vector<std::string> runIds_;            ///< Of all starts.
    std::size_t placeSince_ = 0;                 ///< Of them, the first one in `runDir_`.
    std::string runDir_;                         ///< On process 0's host.
    bool isSeenHere_ = false;                    ///< That folder, from this machine.
    std::unique_ptr<launch::SpareSearch> look_;  ///< At all spares, once the run trains.
    bool lookedAtSpares_ = false;
    std::unique_ptr<launch::SpareSearch> search_;     ///< For one that takes a host's place.
    std::optional<launch::RemoteFailure> unreached_;  ///< That host.
    std::map<std::string, Nanos> unreachedSince_;     ///< By host, from the loss on.
    std::map<std::string, int> failedStarts_;         ///< Of spares that came with this loss.
    std::string spareProblems_;                       ///< Of the last search, which has found none.
    std::optional<launch::RemoteOrder> fewer_;  ///< Without the unreached host, until it is made.
    std::unique_ptr<launch::SpareSearch> homeLook_;  ///< At who is process 0's host in it.
    std::string fewerProblem_;                       ///< Why it was not; empty: not wanted.
    const Nanos began_ = SteadyClock::read();
    bool settled_ = false;                      ///< The newest start.
    bool reached_ = false;                      ///< Its coordinator.
    std::optional<run::RunMirror> mirror_;      ///< Absent where the folder is the run's own.
    std::optional<run::FormerRun> formerCopy_;  ///< Of a run that is resumed, beside it.
    run::EarlierRun earlier_;                   ///< This machine's copy of it, put aside.
    bool mirrorBroken_ = false;                 ///< It could not be written: it stays as it is.
    std::deque<std::string> warnings_;
    std::unique_ptr<coordination::MonitorClient> client_;
    std::uint64_t connection_ = 0;  ///< That the client is of.
    Nanos heard_{};
    std::uint64_t offset_ = 0;
    std::uint64_t former_ = 0;  ///< Bytes of the journal that are of the run before its resume.
    std::optional<wire::RunEnd> end_;  ///< While it is the journal's last record.
    Nanos endSeen_{};
    Nanos restFailing_{};  ///< Since when the rest of an ended run cannot be read; zero: it can.
    bool stopRequested_ = false;
    bool killRequested_ = false;
    Nanos killAsked_{};       ///< Or when the run could hear it.
    bool wasLinked_ = false;  ///< At the last look; likewise:
    bool wasConnected_ = false;
    std::optional<Ending> repetition_;  ///< Of a run that no other start would help.
    Status status_;
};

}  // namespace lockstep::job
