// SPDX-License-Identifier: Apache-2.0
#include "core/job/timeline/timeline_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/try.h"
#include "core/job/fold/journal_clock.h"
#include "core/job/fold/replica_table.h"
#include "core/job/fold/step_collector.h"
#include "core/job/fold/wire_views.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr double kFirstSpacing = 0.01;  // seconds
/// A clock that is less off is as good as right on a slider.
constexpr double kMuchOff = 0.05;

/// What comes again and again as long as a run trains.
bool isRegular(TimelineMark::Kind kind) {
    return kind == TimelineMark::Kind::Checkpoint || kind == TimelineMark::Kind::Evaluation;
}

bool isStarting(RunState state) {
    return state == RunState::Launching || state == RunState::Restarting;
}

}  // namespace

/// What is known of the journal's part that was read.
class TimelineReader::Survey {
public:
    [[nodiscard]] std::uint64_t offset() const { return offset_; }
    /// A clock was measured for the first time behind times of it that were taken as they are.
    [[nodiscard]] bool mustReadAgain() const { return mustReadAgain_; }

    /// Knows from the start what was measured.
    void restart() {
        JournalClock clock = std::move(clock_);
        clock.restart();
        *this = Survey();
        clock_ = std::move(clock);
        knowsClocks_ = true;
    }

    void take(const std::string& frames) {
        telemetry::FrameCursor cursor(frames, offset_);
        while (const auto bytes = cursor.next()) {
            const auto record = wire::decode<wire::Record>(*bytes);
            if (record) take(*record, cursor.offset());
        }
        if (cursor.damage().bytes > 0) damage_.add(cursor.damage());
        offset_ += frames.size();
    }

    [[nodiscard]] std::shared_ptr<const RunTimeline> timeline() {
        auto timeline = std::make_shared<RunTimeline>(timeline_);
        if (newest_ > 0) timeline->points.push_back({momentNow(), secondsNow()});
        if (damage_.bytes > 0) timeline->damage = telemetry::describe(damage_);
        return timeline;
    }

private:
    void take(const wire::Record& record, std::uint64_t end) {
        noteClock(record);
        const double time = clock_.take(record);
        const bool hasTime = std::isfinite(time) && time > 0;
        if (hasTime) moveTo(std::max(newest_, time));
        end_ = end;
        apply(record);
    }

    void noteClock(const wire::Record& record) {
        if (!record.has_clock_offset() || knowsClocks_) return;
        const wire::ClockOffset& offset = record.clock_offset();
        const bool isFirst =
            clock_.measured().lastOffset({offset.role(), offset.process_id()}) == 0;
        if (isFirst && std::abs(offset.offset_seconds()) > kMuchOff) mustReadAgain_ = true;
    }

    /// Behind the newest point lie records whose moments are one with the present.
    void moveTo(double time) {
        if (newest_ == 0) {
            first_ = time;
        } else {
            const double pause = time - newest_;
            const bool isOther = slot(time) != slot(newest_);
            if (isOther) timeline_.points.push_back({momentNow(), secondsNow()});
            if (pause > RunTimeline::kPauseSeconds) pauses_ += pause;
            if (timeline_.points.size() >= kMostPoints) thinOut();
        }
        newest_ = time;
    }

    [[nodiscard]] std::int64_t slot(double time) const {
        return static_cast<std::int64_t>(std::floor((time - first_) / spacing_));
    }

    void thinOut() {
        spacing_ *= 2;
        auto& points = timeline_.points;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const bool isLast = i + 1 == points.size() || slot(points[i].moment.wallTime) !=
                                                              slot(points[i + 1].moment.wallTime);
            if (isLast) points[kept++] = points[i];
        }
        points.resize(kept);
    }

    void apply(const wire::Record& record) {
        switch (record.body_case()) {
            case wire::Record::kRunInfo:
                return applyInfo(record.run_info());
            case wire::Record::kRunState:
                return applyState(stateOf(record.run_state().state(), state_));
            case wire::Record::kReplicaInfo:
                return replicas_.apply(record.replica_info());
            case wire::Record::kSteps:
                if (isWellFormed(record.steps())) replicas_.apply(record.steps());
                return;
            case wire::Record::kHeartbeat:
                return replicas_.apply(record.heartbeat(), newest_);
            case wire::Record::kDrops:
                return replicas_.apply(record.drops());
            case wire::Record::kFailure:
                replicas_.apply(record.failure());
                return mark(TimelineMark::Kind::Failure,
                            nameFailure(failureOf(record.failure(), record.wall_time())));
            case wire::Record::kCheckpoint:
                if (!record.checkpoint().error().empty()) return;
                return mark(TimelineMark::Kind::Checkpoint,
                            fmt::format("checkpoint of step {}", record.checkpoint().step()));
            case wire::Record::kEvaluation:
                if (!record.evaluation().error().empty()) return;
                return mark(TimelineMark::Kind::Evaluation,
                            fmt::format("the checkpoint of step {} is scored ({})",
                                        record.evaluation().step(), record.evaluation().split()));
            case wire::Record::kVerdict:
                return applyVerdict(record.verdict());
            case wire::Record::kDrill:
                return applyDrill(record.drill());
            case wire::Record::kRunEnd:
                return applyEnd(record.run_end());
            default:
                return;
        }
    }

    /// As RunFold does, so that both count the same steps.
    void applyInfo(const wire::RunInfo& info) {
        replicas_.setTotalSteps(static_cast<std::int64_t>(info.total_steps()));
        if (info.amends()) return;
        if (!hasStart_ || ended_) begin();
        ended_ = false;
        replicas_.beginTraining(static_cast<std::int64_t>(info.first_step()),
                                static_cast<int>(info.replica_count()), true);
    }

    void applyState(RunState state) {
        const RunState before = std::exchange(state_, state);
        if (isStarting(state) && (!hasStart_ || !isStarting(before))) begin();
        if (state == RunState::Launching) ended_ = false;
        if (state == RunState::Training) replicas_.dropUnregistered();
    }

    void begin() {
        mark(TimelineMark::Kind::Start, hasStart_ ? "the run starts again" : "the run starts");
        hasStart_ = true;
        verdict_.clear_sentence();
        replicas_.beginStart();
    }

    /// The same verdict comes again with a new time in its words.
    void applyVerdict(const wire::Verdict& verdict) {
        const bool isSame = !verdict_.sentence().empty() &&
                            verdict_.severity() == verdict.severity() &&
                            verdict_.slow() == verdict.slow() &&
                            std::ranges::equal(verdict_.processes(), verdict.processes());
        verdict_ = verdict;
        if (!verdict.sentence().empty() && !isSame)
            mark(TimelineMark::Kind::Verdict, verdict.sentence());
    }

    void applyDrill(const wire::Drill& drill) {
        if (drill.landed_wall_time() <= 0 || !drills_.insert(drill.id()).second) return;
        mark(TimelineMark::Kind::Drill, "drill: " + drill.sentence());
    }

    void applyEnd(const wire::RunEnd& end) {
        ended_ = true;
        mark(TimelineMark::Kind::End, "the run ends: " + end.status());
    }

    void mark(TimelineMark::Kind kind, std::string sentence) {
        std::size_t& marks = isRegular(kind) ? regularMarks_ : otherMarks_;
        if (marks == kMostMarks && isRegular(kind)) thinOutMarks();
        if (marks == kMostMarks) {
            ++timeline_.marksLeftOut;
            return;
        }
        ++marks;
        timeline_.marks.push_back({kind, momentNow(), std::move(sentence)});
    }

    void thinOutMarks() {
        std::size_t at = 0;
        const std::size_t gone = std::erase_if(timeline_.marks, [&at](const TimelineMark& mark) {
            return isRegular(mark.kind) && at++ % 2 == 0;
        });
        regularMarks_ -= gone;
        timeline_.marksLeftOut += gone;
    }

    [[nodiscard]] RunMoment momentNow() const {
        return {end_, newest_, replicas_.completedSteps()};
    }
    [[nodiscard]] double secondsNow() const { return newest_ - first_ - pauses_; }

    RunTimeline timeline_;  // all but the newest point
    JournalClock clock_;
    ReplicaTable replicas_;
    RunState state_ = RunState::Launching;
    bool hasStart_ = false;
    bool ended_ = false;
    wire::Verdict verdict_;
    std::set<std::string> drills_;  // that have landed
    std::size_t regularMarks_ = 0;
    std::size_t otherMarks_ = 0;
    telemetry::JournalDamage damage_;
    std::uint64_t offset_ = 0;  // of what is read next
    std::uint64_t end_ = 0;     // of the newest record
    double first_ = 0;
    double newest_ = 0;
    double pauses_ = 0;
    double spacing_ = kFirstSpacing;
    bool knowsClocks_ = false;
    bool mustReadAgain_ = false;
};

TimelineReader::TimelineReader(std::filesystem::path runDir)
    : journal_(std::move(runDir) / "journal"), survey_(std::make_unique<Survey>()) {}
TimelineReader::~TimelineReader() = default;

Result<std::shared_ptr<const RunTimeline>> TimelineReader::read(const Watch& watch) {
    const auto reader = TRY(telemetry::JournalReader::open(journal_));
    const std::uint64_t size = TRY(reader.size());
    if (size < survey_->offset()) {  // another journal is there, or this one was cut back
        survey_ = std::make_unique<Survey>();
        published_.reset();
    }
    bool hasMore = published_ == nullptr;
    while (true) {
        const auto fraction = static_cast<double>(survey_->offset()) / static_cast<double>(size);
        if (watch && !watch(size == 0 ? 1 : std::min(fraction, 1.0))) return nullptr;
        const std::string frames = TRY(reader.read(survey_->offset(), kPieceBytes));
        if (!frames.empty()) {
            hasMore = true;
            survey_->take(frames);
        } else if (survey_->mustReadAgain()) {
            survey_->restart();
        } else {
            break;
        }
    }
    if (hasMore) published_ = survey_->timeline();
    return published_;
}

}  // namespace lockstep::job
