// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/job/session.h"

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

/// "0.4 s ago"; "none yet" for a negative age.
[[nodiscard]] QString ageText(double seconds);
[[nodiscard]] QString lossText(double loss);
[[nodiscard]] QString millisecondsText(double milliseconds);
/// "97.32 %"
[[nodiscard]] QString percentText(double fraction);
/// "2 min 05 s", "12 s", "1 h 03 min"; empty for a negative value.
[[nodiscard]] QString durationText(double seconds);
/// Local time of day, "14:05:12".
[[nodiscard]] QString timeOfDay(double wallTime);
/// "data 2 %, forward 31 %, ..." of a replica's newest step.
[[nodiscard]] QString phasesSentence(const job::ReplicaView& replica);

}  // namespace lockstep::ui
