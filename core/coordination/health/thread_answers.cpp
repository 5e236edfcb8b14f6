// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/thread_answers.h"

namespace lockstep::coordination {

namespace {
/// A thread is waited for for a second, and for another one where it has begun its answer.
constexpr std::chrono::seconds kPatience{4};
}  // namespace

void ThreadAnswers::begin(const std::string& subject, const std::vector<std::uint32_t>& asked,
                          Nanos now) {
    if (asked.size() < 2) return;
    *this = {};
    subject_ = subject;
    askedAt_ = now;
    isOpen_ = true;
    asked_.insert(asked.begin(), asked.end());
}

void ThreadAnswers::take(std::uint32_t process, std::uint32_t deaf) {
    if (asked_.contains(process)) deaf_[process] = deaf;
}

bool ThreadAnswers::isAwaited(const std::string& subject) const {
    return isOpen_ && subject == subject_;
}

/// Where nobody answers well there is nothing to compare with.
void ThreadAnswers::update(Nanos now) {
    isOpen_ = isOpen_ && deaf_.size() < asked_.size() && now - askedAt_ < kPatience;
    if (isOpen_ || subject_.empty()) return;
    std::vector<std::uint32_t> held;
    for (const std::uint32_t process : asked_) {
        const auto answer = deaf_.find(process);
        if (answer == deaf_.end() || answer->second > 0) held.push_back(process);
    }
    facts_ = {};
    if (held.size() == asked_.size()) return;
    facts_.subject = subject_;
    if (held.size() == 1) facts_.held = held.front();
}

}  // namespace lockstep::coordination
