// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/verdict.h"

namespace lockstep::coordination {

std::optional<wire::Verdict> VerdictBoard::update(const std::optional<Finding>& finding,
                                                  const std::optional<NearEnd>& end, Nanos now) {
    const std::optional<Nanos> endsAt = end ? std::optional(end->at) : std::nullopt;
    if (!finding) {
        if (subject_.empty()) return std::nullopt;
        subject_.clear();
        return wire::Verdict{};
    }
    const Known known{finding->isOfNetwork, finding->knowsLinks, finding->knowsThreads};
    const bool isNews = finding->subject != subject_ || known != known_ || endsAt != saidEnd_;
    if (!isNews && now - saidAt_ < repeat_) return std::nullopt;
    subject_ = finding->subject;
    known_ = known;
    saidAt_ = now;
    saidEnd_ = endsAt;
    wire::Verdict verdict;
    verdict.set_sentence(finding->sentence);
    verdict.set_hold(finding->hold);
    // To a window that knows no slowness a fourth severity would be the gravest one.
    verdict.set_slow(finding->severity == kSeveritySlow);
    verdict.set_severity(verdict.slow() ? 0 : finding->severity);
    for (const std::uint32_t process : finding->processes)
        verdict.add_processes(process);
    for (const std::uint32_t replica : finding->replicas)
        verdict.add_replicas(replica);
    if (!end) return verdict;
    verdict.set_ends_at(end->wall);
    verdict.set_restarts(end->action == StuckAction::Restart);
    return verdict;
}

}  // namespace lockstep::coordination
