// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/clock_estimate.h"

#include <algorithm>
#include <span>
#include <utility>

namespace lockstep::coordination {

std::uint64_t ClockEstimate::ask(double own) {
    ++asked_;
    questions_[asked_ % kRemembered] = {asked_, own};
    return asked_;
}

bool ClockEstimate::hear(std::uint64_t question, double theirs, double own) {
    Question& known = questions_[question % kRemembered];
    const bool isKnown = question > 0 && known.number == question;
    if (!isKnown || !(theirs > 0) || own < known.asked) return false;
    const double asked = std::exchange(known, {}).asked;
    answers_[heard_ % kRemembered] = {theirs - (asked + own) / 2, own - asked};
    ++heard_;
    return true;
}

std::optional<ClockDifference> ClockEstimate::best() const {
    if (heard_ == 0) return std::nullopt;
    const std::span known = std::span(answers_).first(std::min<std::size_t>(heard_, kRemembered));
    return *std::ranges::min_element(known, {}, &ClockDifference::roundTrip);
}

std::optional<ClockDifference> ClockEstimate::takeNews() {
    if (heard_ < tellAt_) return std::nullopt;
    tellAt_ = heard_ + kRemembered;
    return best();
}

}  // namespace lockstep::coordination
