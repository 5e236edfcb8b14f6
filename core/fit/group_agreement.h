// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::fit {

// What the processes of a group tell each other about something that all of them do together: all
// call these in the same order. Errors besides: those of distribution::allGather(), by way of which
// they go.

/// Everybody's text, in order of process ids, of any length, in as many rounds as the longest
/// needs.
[[nodiscard]] Result<std::vector<std::string>> gatherTexts(const std::string& mine,
                                                           double timeoutSeconds);

/// The same, unless some of them bring an error instead: then that of the first process that does,
/// with its number where it is another one, so that all go the same way on.
[[nodiscard]] Result<std::vector<std::string>> gatherOutcomes(const Result<std::string>& mine,
                                                              double timeoutSeconds);
/// Whether it is an error of gathering itself: the processes are no longer in step.
[[nodiscard]] bool isOutOfStep(const Error& error);

/// The error of the first process that has one, as gatherOutcomes() tells it.
[[nodiscard]] Result<void> agreeOnOutcome(const Result<void>& mine, double timeoutSeconds);

/// agreeOnOutcome(), and that all have the same text: else BadInput, in all of them, says which
/// process `differs` ("saves other tensors") from process 0.
[[nodiscard]] Result<void> agreeOnSame(const Result<std::string>& mine, std::string_view differs,
                                       double timeoutSeconds);

}  // namespace lockstep::fit
