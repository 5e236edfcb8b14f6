// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/exit_status.h"
#include "core/base/result.h"
#include "core/base/sanitize_lines.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// An error as the answer of a host's service.
[[nodiscard]] inline wire::FromHost errorAnswer(const Error& error) {
    wire::FromHost answer;
    answer.mutable_error()->set_error(error.message);
    answer.mutable_error()->set_remedy(error.remedy);
    answer.mutable_error()->set_bad_input(isBadInput(error.code));
    return answer;
}

/// The reverse. A host's words are shown as a terminal and a dialog can take them.
[[nodiscard]] inline Error errorOf(const wire::HostError& error) {
    return {error.bad_input() ? ErrorCode::BadInput : ErrorCode::Unavailable,
            sanitizeLines(error.error()), sanitizeLines(error.remedy())};
}

}  // namespace lockstep::launch
