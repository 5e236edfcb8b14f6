// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/clock.h"

namespace lockstep::coordination {

/// What the threads of those have answered who all wait.
struct AnswerFacts {
    std::string subject;  ///< Of the finding about which they were asked; empty: nothing is known.
    /// The one that does not answer, or has threads that do not, while all others answer well.
    std::optional<std::uint32_t> held{};
};

/// Who of those that wait for each other stands still in its wait, by what they answer when they
/// are asked for their stacks: who only waits runs the handler of a signal. No clock, no thread.
class ThreadAnswers {
public:
    /// These are asked at `now` about the trouble; nothing where there are not two to compare.
    void begin(const std::string& subject, const std::vector<std::uint32_t>& asked, Nanos now);
    /// An answer: so many of its threads did not.
    void take(std::uint32_t process, std::uint32_t deaf);
    void update(Nanos now);
    /// Other processes run now.
    void reset() { *this = {}; }
    /// Answers about that trouble may still come. An answer that comes later counts, too.
    [[nodiscard]] bool isAwaited(const std::string& subject) const;
    [[nodiscard]] const AnswerFacts& facts() const { return facts_; }

private:
    std::string subject_;  // of the trouble that was asked about last
    Nanos askedAt_{};
    bool isOpen_ = false;
    std::set<std::uint32_t> asked_;
    std::map<std::uint32_t, std::uint32_t> deaf_;  // by who has answered
    AnswerFacts facts_;
};

}  // namespace lockstep::coordination
