// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/barrier_table.h"

#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/coordination/state/sentences.h"

namespace lockstep::coordination {

std::vector<RequestAnswer> BarrierTable::enter(std::uint32_t worker, std::uint64_t request,
                                               const std::string& name, Nanos timeout, Nanos now) {
    Last& last = last_[worker];
    if (request < last.request) return {};
    if (request == last.request) {  // repeated: its answer may have been lost
        if (!last.answered) return {};
        return {{{wire::ROLE_WORKER, worker}, request, {}, last.error}};
    }
    last = Last{request, false, {}};
    if (name.empty() || name.size() > kMaxNameBytes)
        return answerAtOnce(worker, request,
                            fmt::format("{}: a barrier's name has 1 to {} bytes, not {}",
                                        kAbortedWord, kMaxNameBytes, name.size()));
    if (!left_.empty())
        return answerAtOnce(
            worker, request,
            fmt::format("{}: process {} has left and will never reach the barrier '{}'",
                        kAbortedWord, *left_.begin(), sanitizeLine(name)));
    if (!open_.contains(name) && open_.size() >= kMaxOpen)
        return answerAtOnce(
            worker, request,
            fmt::format("{}: more than {} barriers are open", kAbortedWord, kMaxOpen));
    const auto [found, first] = open_.try_emplace(name);
    Open& barrier = found->second;
    if (first) {
        barrier.timeout = timeout;
        barrier.deadline = now + timeout;
    }
    barrier.arrived[worker] = request;
    if (barrier.arrived.size() < workers_) return {};
    const Open complete = std::move(barrier);
    open_.erase(found);
    return close(complete, {});
}

std::vector<RequestAnswer> BarrierTable::answerAtOnce(std::uint32_t worker, std::uint64_t request,
                                                      std::string error) {
    last_[worker] = Last{request, true, error};
    return {{{wire::ROLE_WORKER, worker}, request, {}, std::move(error)}};
}

std::vector<RequestAnswer> BarrierTable::close(const Open& barrier, const std::string& error) {
    std::vector<RequestAnswer> answers;
    for (const auto& [worker, request] : barrier.arrived) {
        last_[worker] = Last{request, true, error};
        answers.push_back({{wire::ROLE_WORKER, worker}, request, {}, error});
    }
    return answers;
}

std::vector<int> BarrierTable::missing(const Open& barrier) const {
    std::vector<int> ids;
    for (std::uint32_t worker = 0; worker < workers_; ++worker)
        if (!barrier.arrived.contains(worker)) ids.push_back(static_cast<int>(worker));
    return ids;
}

std::string BarrierTable::timeoutSentence(const std::string& name, const Open& barrier) const {
    return fmt::format("{}: {} of {} reached the barrier '{}' within {:.1f} s; {} did not",
                       kTimeoutWord, barrier.arrived.size(), counted(workers_, "process"),
                       sanitizeLine(name), Seconds(barrier.timeout).count(),
                       processesText(missing(barrier)));
}

std::vector<RequestAnswer> BarrierTable::expire(Nanos now) {
    std::vector<RequestAnswer> answers;
    for (auto open = open_.begin(); open != open_.end();) {
        if (now < open->second.deadline) {
            ++open;
            continue;
        }
        std::ranges::move(close(open->second, timeoutSentence(open->first, open->second)),
                          std::back_inserter(answers));
        open = open_.erase(open);
    }
    return answers;
}

std::vector<RequestAnswer> BarrierTable::leave(std::uint32_t worker) {
    left_.insert(worker);
    std::vector<RequestAnswer> answers;
    for (auto open = open_.begin(); open != open_.end();) {
        if (open->second.arrived.contains(worker)) {
            ++open;
            continue;
        }
        const std::string error =
            fmt::format("{}: process {} has left and will never reach the barrier '{}'",
                        kAbortedWord, worker, sanitizeLine(open->first));
        std::ranges::move(close(open->second, error), std::back_inserter(answers));
        open = open_.erase(open);
    }
    return answers;
}

std::vector<RequestAnswer> BarrierTable::abort(const std::string& reason) {
    std::vector<RequestAnswer> answers;
    for (const auto& [name, barrier] : open_)
        std::ranges::move(close(barrier, fmt::format("{}: {}", kAbortedWord, reason)),
                          std::back_inserter(answers));
    open_.clear();
    return answers;
}

}  // namespace lockstep::coordination
