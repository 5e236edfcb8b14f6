// SPDX-License-Identifier: Apache-2.0
// The wire's words as the session's: one to one, without judgement.
#pragma once

#include "core/job/fold/session.h"
#include "core/wire/messages/monitor.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

[[nodiscard]] Phase phaseOf(wire::Phase phase);
[[nodiscard]] Role roleOf(wire::Role role);
/// `before` for a state this program does not know.
[[nodiscard]] RunState stateOf(wire::RunState state, RunState before);

[[nodiscard]] EpochView epochOf(const wire::EpochResult& epoch);
[[nodiscard]] CheckpointView checkpointOf(const wire::CheckpointEvent& event, double wallTime);
[[nodiscard]] EvaluationView evaluationOf(const wire::Evaluation& evaluation, double wallTime);
[[nodiscard]] FailureView failureOf(const wire::Failure& failure, double wallTime);
/// "process 1 (node-b): was killed by signal 9 (SIGKILL)".
[[nodiscard]] std::string nameFailure(const FailureView& failure);
[[nodiscard]] NoticeView noticeOf(const wire::Notice& notice, double wallTime);
[[nodiscard]] LogEntry logOf(const wire::LogLine& line, double wallTime,
                             std::int64_t journalOffset);
/// Nothing for a kind that this program does not know.
[[nodiscard]] std::optional<DrillView> drillOf(const wire::Drill& drill);
[[nodiscard]] wire::DrillRequest requestOf(const DrillOrder& order);
[[nodiscard]] HeartbeatMark markOf(const wire::Heartbeat& heartbeat, double wallTime);
/// Without its host.
[[nodiscard]] LoadMark loadOf(const wire::ProcessFigures& figures, double sharedTime);

}  // namespace lockstep::job
