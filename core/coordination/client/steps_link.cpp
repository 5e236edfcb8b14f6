// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/steps_link.h"

#include <algorithm>
#include <chrono>

namespace lockstep::coordination {

namespace {
constexpr Nanos kLatePatience = std::chrono::milliseconds(250);
}  // namespace

Result<void> StepsLink::await(std::int64_t step, Nanos timeout) {
    wire::ToCoordinator question;
    question.mutable_await_steps()->set_step(static_cast<std::uint64_t>(step));
    const auto told =
        client_.fetchWithin(question, isLate_ ? std::min(timeout, kLatePatience) : timeout);
    isLate_ = !told && told.error().code == ErrorCode::Timeout;
    return told ? Result<void>{} : fail(told.error());
}

}  // namespace lockstep::coordination
