// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/verdict.h"

namespace lockstep::coordination {

std::optional<wire::Verdict> VerdictBoard::update(const std::optional<Finding>& finding,
                                                  Nanos now) {
    if (!finding) {
        if (subject_.empty()) return std::nullopt;
        subject_.clear();
        return wire::Verdict{};
    }
    if (finding->subject == subject_ && now - saidAt_ < repeat_) return std::nullopt;
    subject_ = finding->subject;
    saidAt_ = now;
    wire::Verdict verdict;
    verdict.set_sentence(finding->sentence);
    verdict.set_severity(finding->severity);
    for (const std::uint32_t process : finding->processes)
        verdict.add_processes(process);
    return verdict;
}

}  // namespace lockstep::coordination
