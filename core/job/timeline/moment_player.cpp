// SPDX-License-Identifier: Apache-2.0
#include "core/job/timeline/moment_player.h"

#include <algorithm>
#include <iterator>
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
constexpr std::size_t kMostWaitingBytes = std::size_t{16} << 20;
/// They are large, and come once a second of each process: charts keep some hours of them.
constexpr std::size_t kMostLoads = 1'000'000;

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
            if (fold_.arrivalCount() >= kMostEntries) keepArrivals();
        }
        return true;
    }

    [[nodiscard]] Shown take(const RunMoment& moment, const std::filesystem::path& runDir) {
        if (const auto stored = storedCheckpoints(runDir / "checkpoints"))
            fold_.setStoredCheckpoints(*stored);
        fold_.tick(fold_.newestWallTime());
        auto view = std::make_shared<RunView>(*fold_.view());
        view->momentWallTime = moment.wallTime;
        sayDamage();
        keepArrivals();
        addLogs();
        return {moment, !std::exchange(isShown_, true), std::move(view),
                std::exchange(arrivals_, {}), log_};
    }

private:
    /// Log lines go into the book, which has their texts in the journal, at once while nobody sees
    /// it; else once the moment is shown, or they are many.
    void keepArrivals() {
        Arrivals arrivals = fold_.takeArrivals();
        for (const LogEntry& line : arrivals.logs)
            waitingBytes_ += line.text.size();
        std::ranges::move(std::exchange(arrivals.logs, {}), std::back_inserter(waitingLogs_));
        arrivals_.push_back(std::move(arrivals));
        keepNewestLoads(arrivals_, kMostLoads);
        if (!isShown_ || waitingBytes_ > kMostWaitingBytes) addLogs();
    }

    void addLogs() {
        log_->add(std::exchange(waitingLogs_, {}));
        waitingBytes_ = 0;
    }

    void fold(const std::string& frames) {
        telemetry::FrameCursor cursor(frames, offset_);
        while (const auto bytes = cursor.next()) {
            sayDamage();
            const auto record = wire::decode<wire::Record>(*bytes);
            if (record)
                fold_.apply(*record, static_cast<std::int64_t>(cursor.offset() - bytes->size() -
                                                               telemetry::kFrameHeaderBytes));
            else
                warn(record.error().message);
        }
        if (cursor.damage().bytes > 0) damage_.add(cursor.damage());
    }

    /// One stretch comes in several pieces: it is whole once something is intact behind it.
    void sayDamage() {
        if (damage_.bytes == 0) return;
        const std::string damage = telemetry::describe(std::exchange(damage_, {}));
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
    std::vector<LogEntry> waitingLogs_;
    std::size_t waitingBytes_ = 0;
    telemetry::JournalDamage damage_;
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
