// SPDX-License-Identifier: Apache-2.0
#include "core/job/timeline/moment_player.h"

#include <algorithm>
#include <utility>

#include "core/base/try.h"
#include "core/job/fold/run_fold.h"
#include "core/job/timeline/stored_checkpoints.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

namespace lockstep::job {

namespace {

constexpr std::uint64_t kPieceBytes = 1 << 17;
constexpr int kWarning = 2;
/// What is told at a time, so that who shows it is busy for some milliseconds.
constexpr std::size_t kMostEntries = 4000;

}  // namespace

/// A fold, and how far it has read.
class MomentPlayer::Player {
public:
    Player(const std::filesystem::path& runDir, telemetry::JournalReader reader)
        : reader_(std::move(reader)), fold_(runDir), log_(std::make_shared<LogBook>(runDir)) {
        fold_.setLink({false, false, "shown from the run's journal", {}});
    }

    [[nodiscard]] std::uint64_t offset() const { return offset_; }

    /// False: given up.
    [[nodiscard]] Result<bool> readUpTo(std::uint64_t end, const Watch& watch) {
        const std::uint64_t begin = offset_;
        while (offset_ < end) {
            const auto all = static_cast<double>(end - begin);
            if (watch && !watch(static_cast<double>(offset_ - begin) / all)) return false;
            const auto most = static_cast<std::size_t>(std::min(end - offset_, kPieceBytes));
            const std::string frames = TRY(reader_.read(offset_, most));
            if (frames.empty())
                return fail(ErrorCode::Io, "the journal has become shorter than it was");
            fold(frames);
            offset_ += frames.size();
            if (fold_.arrivalCount() >= kMostEntries) arrivals_.push_back(fold_.takeArrivals());
        }
        return true;
    }

    [[nodiscard]] Shown take(const RunMoment& moment, const std::filesystem::path& runDir) {
        if (const auto stored = storedCheckpoints(runDir / "checkpoints"))
            fold_.setStoredCheckpoints(*stored);
        fold_.tick(fold_.newestWallTime());
        auto view = std::make_shared<RunView>(*fold_.view());
        view->momentWallTime = moment.wallTime;
        arrivals_.push_back(fold_.takeArrivals());
        for (const Arrivals& arrivals : arrivals_)
            log_->add(arrivals.logs);
        return {moment, !std::exchange(isShown_, true), std::move(view),
                std::exchange(arrivals_, {}), log_};
    }

private:
    void fold(const std::string& frames) {
        telemetry::FrameCursor cursor(frames, offset_);
        while (const auto bytes = cursor.next()) {
            const auto record = wire::decode<wire::Record>(*bytes);
            if (record)
                fold_.apply(*record, static_cast<std::int64_t>(cursor.offset() - bytes->size() -
                                                               telemetry::kFrameHeaderBytes));
            else
                warn(record.error().message);
        }
        if (cursor.damage().bytes == 0) return;
        const std::string damage = telemetry::describe(cursor.damage());
        warn(damage);
        fold_.addMissing(damage);
    }

    void warn(const std::string& sentence) {
        fold_.addLog({fold_.newestWallTime(), 0, Role::Agent, kWarning, sentence});
    }

    telemetry::JournalReader reader_;
    RunFold fold_;
    const std::shared_ptr<LogBook> log_;
    std::vector<Arrivals> arrivals_;  // that nobody was told of
    std::uint64_t offset_ = 0;
    bool isShown_ = false;
};

MomentPlayer::MomentPlayer(std::filesystem::path runDir) : runDir_(std::move(runDir)) {}
MomentPlayer::~MomentPlayer() = default;

Result<std::optional<MomentPlayer::Shown>> MomentPlayer::show(const RunMoment& moment,
                                                              const Watch& watch) {
    if (!player_ || player_->offset() > moment.offset) {
        player_ = std::make_unique<Player>(
            runDir_, TRY(telemetry::JournalReader::open(runDir_ / "journal")));
    }
    const auto isThere = player_->readUpTo(moment.offset, watch);
    if (!isThere) {
        player_.reset();
        return fail(isThere.error());
    }
    if (!*isThere) return std::nullopt;
    return player_->take(moment, runDir_);
}

}  // namespace lockstep::job
