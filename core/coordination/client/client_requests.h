// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// What an answer's error means: its first word is the kind, the rest the sentence.
[[nodiscard]] Error answerError(const std::string& error);

/// Gives a question the number under which its answer comes.
void setNumber(wire::ToCoordinator& message, std::uint64_t request);

}  // namespace lockstep::coordination
