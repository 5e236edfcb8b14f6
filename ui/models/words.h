// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/job/fold/session.h"

/// What the values of a run are called on the screen.
namespace lockstep::ui {

/// "0", "1 / 3" (process / replica when they differ), "evaluator".
[[nodiscard]] QString processName(job::Role role, int processId, int replica);
/// As in a sentence or a log line: "process 1", "evaluator", "agent".
[[nodiscard]] QString processSentenceName(job::Role role, int processId);
/// "chief" for process 0, "worker", "evaluator", "agent".
[[nodiscard]] QString roleName(job::Role role, int processId);
[[nodiscard]] QString phaseName(job::Phase phase);
[[nodiscard]] QString runStateName(job::RunState state);
/// True once nothing more will come.
[[nodiscard]] bool isEnded(job::RunState state);

/// With a capital letter and a full stop.
[[nodiscard]] QString asSentence(QString words);

/// What ended this start of the run: that of its failures which its error names, else the first;
/// what failed later failed because of it. Null: none of this start is known.
[[nodiscard]] const job::FailureView* decisiveFailure(const job::RunView& view);
/// "process 1 on node-b was killed by signal 9 (SIGKILL)".
[[nodiscard]] QString failureWords(const job::FailureView& failure);

/// "0.4 s ago"; "none yet" for a negative age.
[[nodiscard]] QString ageText(double seconds);
[[nodiscard]] QString lossText(double loss);
/// "accuracy 98.00 %", "RMSE 51 234".
[[nodiscard]] QString scoreText(const job::Score& score);
/// As units::milliseconds; a dash before the first.
[[nodiscard]] QString stepTimeText(double milliseconds);
/// "data 2 %, forward 31 %, ..." of a replica's newest step.
[[nodiscard]] QString phasesSentence(const job::ReplicaView& replica);

/// "node-a  10.0.0.1:40000"; without the address where its port was never chosen.
[[nodiscard]] QString addressText(const job::ReplicaView& replica);
/// "3 of 4 replicas alive"; empty while they start and once they leave one after the other.
[[nodiscard]] QString aliveText(const job::RunView& view);
/// How an ended run ended, as a sentence with its figures; a running one's own sentence.
[[nodiscard]] QString statusSentence(const job::RunView& view);

}  // namespace lockstep::ui
