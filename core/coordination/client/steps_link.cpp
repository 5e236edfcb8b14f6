// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/steps_link.h"

namespace lockstep::coordination {

Result<void> StepsLink::await(std::int64_t step, Nanos timeout) {
    wire::ToCoordinator question;
    question.mutable_await_steps()->set_step(static_cast<std::uint64_t>(step));
    const auto told = client_.fetch(question, timeout);
    return told ? Result<void>{} : fail(told.error());
}

}  // namespace lockstep::coordination
