// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/distribution/process_group.h"

namespace lockstep::distribution {

// What the calls of users' programs over the group have in common.

/// The process's group. BadInput without one, and for the evaluator where `ofProcesses`: `what`
/// ("a barrier") is of the processes that train.
[[nodiscard]] Result<std::shared_ptr<ProcessGroup>> groupFor(std::string_view what,
                                                             bool ofProcesses);

/// BadInput for what is no time to wait: below 0, above 1e6 s, no number.
[[nodiscard]] Result<Nanos> waitTime(double seconds);

/// The user's names beside those of the product, which shares store and barriers with them.
/// BadInput for names that are empty, longer than `most` bytes or not UTF-8.
[[nodiscard]] Result<std::string> userName(std::string_view what, const std::string& name,
                                           std::size_t most);
/// What all such names lie below.
[[nodiscard]] std::string userFolder();
/// The name as the user gave it.
[[nodiscard]] std::string withoutPrefix(const std::string& name);
/// The error with names as the user gave them.
[[nodiscard]] tl::unexpected<Error> failInUserWords(Error error);

}  // namespace lockstep::distribution
