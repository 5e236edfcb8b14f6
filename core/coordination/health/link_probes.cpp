// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/link_probes.h"

#include <algorithm>

namespace lockstep::coordination {

namespace {

constexpr Nanos kPause = 60s;     // between two questions
constexpr Nanos kPatience = 10s;  // for the answers: workers take five seconds at most

/// Those whom the finding names, then the others in order.
std::set<std::uint32_t> chosenOf(const Finding& finding,
                                 const std::vector<std::uint32_t>& workers) {
    std::set<std::uint32_t> chosen;
    const auto take = [&](const std::vector<std::uint32_t>& some) {
        for (const std::uint32_t one : some)
            if (chosen.size() < LinkProbes::kMostAsked && std::ranges::binary_search(workers, one))
                chosen.insert(one);
    };
    take(finding.processes);
    take(workers);
    return chosen;
}

}  // namespace

std::optional<wire::ProbeLinks> LinkProbes::update(const std::optional<Finding>& finding,
                                                   const std::vector<std::uint32_t>& workers,
                                                   Nanos now) {
    if (isOpen_ && isAnswered(now)) conclude();
    if (!finding || !finding->isOfNetwork || finding->subject == subject_) return std::nullopt;
    if (workers.size() < 2 || (askedAt_ && now - *askedAt_ < kPause)) return std::nullopt;
    subject_ = finding->subject;
    askedAt_ = now;
    isOpen_ = true;
    asked_ = chosenOf(*finding, workers);
    askedAll_ = asked_.size() == workers.size();
    answered_.clear();
    reaches_.clear();
    facts_ = {};
    wire::ProbeLinks question;
    question.set_number(++number_);
    question.mutable_processes()->Add(asked_.begin(), asked_.end());
    return question;
}

void LinkProbes::take(std::uint32_t process, const wire::LinkReport& report) {
    if (!isOpen_ || report.number() != number_ || !asked_.contains(process)) return;
    answered_.insert(process);
    for (const std::uint32_t other : report.reached())
        if (asked_.contains(other) && other != process) reaches_[{process, other}] = true;
    for (const std::uint32_t other : report.unreached())
        if (asked_.contains(other) && other != process) reaches_[{process, other}] = false;
}

void LinkProbes::reset() {
    *this = {};
}

bool LinkProbes::isAnswered(Nanos now) const {
    return answered_.size() == asked_.size() || now - *askedAt_ >= kPatience;
}

/// Where some pair was not tried from either end, nobody can say that all reach each other.
void LinkProbes::conclude() {
    isOpen_ = false;
    bool isWhole = true;
    LinkFacts found{subject_, {}, asked_.size(), askedAll_};
    for (auto one = asked_.begin(); one != asked_.end(); ++one) {
        for (auto other = std::next(one); other != asked_.end(); ++other) {
            const auto there = reaches_.find({*one, *other});
            const auto back = reaches_.find({*other, *one});
            const bool failsThere = there != reaches_.end() && !there->second;
            const bool failsBack = back != reaches_.end() && !back->second;
            const bool passesThere = there != reaches_.end() && there->second;
            const bool passesBack = back != reaches_.end() && back->second;
            isWhole = isWhole && (passesThere || passesBack);
            if (failsThere)
                found.broken.push_back({*one, *other, !passesBack});
            else if (failsBack)
                found.broken.push_back(passesThere ? BrokenLink{*other, *one, false}
                                                   : BrokenLink{*one, *other, true});
        }
    }
    if (isWhole || !found.broken.empty()) facts_ = std::move(found);
}

}  // namespace lockstep::coordination
