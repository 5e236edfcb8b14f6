// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/environment.h"
#include "core/base/result.h"
#include "core/distribution/initialize.h"

namespace lockstep::distribution {

inline constexpr const char* kSecretFileVariable = "LOCKSTEP_JOB_SECRET_FILE";

/// The secret that all processes of a job have been given: from the file descriptor or the file
/// that `options` name, else from the file that LOCKSTEP_JOB_SECRET_FILE names; nothing where none
/// does, or where the options hand over keys in another way. BadInput: the file may be read by
/// others, is not the user's, or holds too little to be a secret. Never says what it holds.
[[nodiscard]] Result<std::optional<std::string>> readJobSecret(const InitializeOptions& options,
                                                               const Environment& environment);

}  // namespace lockstep::distribution
