// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/wire/messages/record.pb.h"

namespace lockstep::run {

/// Whether the last three of a run's failures, of all its starts in their order, are one and the
/// same, and no start has come to a step that was not completed before the first of them: another
/// start would meet it again. Causes are the same where their words are, whatever numbers are in
/// them. What came from outside is never of them, and neither are starts that went on from
/// different checkpoints, which they suspect: the next one goes on from an older one. Pure.
/// `ownProgram`: of a program that reports no steps nobody knows how far it comes.
[[nodiscard]] bool repeatsItself(std::span<const wire::Failure> failures, bool ownProgram);

/// The cause of such a run's end: "3 times the same after step 102, without a step of progress: …".
[[nodiscard]] std::string repetitionText(std::span<const wire::Failure> failures);

/// What to do about it, below `remedy`, what to do about the failure itself, if anything. `left`:
/// so many restarts of launch.max_restarts were not used.
[[nodiscard]] std::string repetitionRemedy(const std::string& remedy, int left);

}  // namespace lockstep::run
