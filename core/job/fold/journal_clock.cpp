// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/journal_clock.h"

namespace lockstep::job {

namespace {

constexpr telemetry::ProcessName kChief{wire::ROLE_WORKER, 0};

telemetry::ProcessName evaluatorOf(const wire::Evaluation& evaluation) {
    return {wire::ROLE_EVALUATOR, evaluation.evaluator()};
}

}  // namespace

double JournalClock::moved(const telemetry::ProcessName& process, double seconds) const {
    if (seconds <= 0) return seconds;
    return seconds + clocks_.offsetAt(process, roster_.process(process).incarnation, seconds);
}

std::int64_t JournalClock::firstEnd(const wire::StepBatch& batch) const {
    return telemetry::timeOn(clocks_, roster_, roster_.processOf(batch.replica()),
                             batch.first_end_wall_time());
}

double JournalClock::take(const wire::Record& record) {
    const double seconds = record.wall_time();
    switch (record.body_case()) {
        case wire::Record::kReplicaInfo:
            roster_.take(record.replica_info());
            return seconds;
        case wire::Record::kClockOffset: {
            const wire::ClockOffset& offset = record.clock_offset();
            clocks_.add(offset, seconds);
            return moved({offset.role(), offset.process_id()}, seconds);
        }
        case wire::Record::kSteps:
            return moved(roster_.processOf(record.steps().replica()), seconds);
        case wire::Record::kDrops:
            return moved(roster_.processOf(record.drops().replica()), seconds);
        case wire::Record::kHeartbeat:
            return moved({record.heartbeat().role(), record.heartbeat().process_id()}, seconds);
        case wire::Record::kFigures:
            return moved({record.figures().role(), record.figures().process_id()}, seconds);
        case wire::Record::kLinkReport:
            return moved({wire::ROLE_WORKER, record.link_report().process_id()}, seconds);
        case wire::Record::kNotice:
            return moved({record.notice().role(), record.notice().process_id()}, seconds);
        case wire::Record::kLog:
            return moved({record.log().role(), record.log().process_id()}, seconds);
        case wire::Record::kEvaluation:
            return moved(evaluatorOf(record.evaluation()), seconds);
        case wire::Record::kScalars: {
            const wire::ScalarBatch& batch = record.scalars();
            const bool isOfReplica = batch.role() == wire::ROLE_WORKER && batch.replica() >= 0;
            return moved(isOfReplica
                             ? roster_.processOf(static_cast<std::uint32_t>(batch.replica()))
                             : telemetry::ProcessName{batch.role(), 0},
                         seconds);
        }
        case wire::Record::kEpoch:
        case wire::Record::kCheckpoint:
            return moved(kChief, seconds);
        default:  // the coordinator's own
            return seconds;
    }
}

}  // namespace lockstep::job
