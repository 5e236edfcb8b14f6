// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lockstep::coordination {

/// By how much the coordinator's clock is ahead of this process's, in seconds.
struct ClockDifference {
    double offset = 0;
    double roundTrip = 0;  ///< Half of it bounds the error.
};

/// Measures that by questions which the coordinator answers with its time: it lies halfway between
/// asking and hearing, the more surely the less time lies between them. So of the last eight
/// answers the quickest one counts. No clock, no thread; times are seconds of record clocks.
class ClockEstimate {
public:
    static constexpr std::size_t kRemembered = 8;
    static constexpr std::uint64_t kFirstAnswers = 4;  ///< Are asked for one after the other.

    /// A question goes out; gives its number, from 1.
    [[nodiscard]] std::uint64_t ask(double own);
    /// Its answer has come. False: of a question that is forgotten, or with no time in it.
    bool hear(std::uint64_t question, double theirs, double own);
    /// The first answers are not all there: ask again at once.
    [[nodiscard]] bool wantsMore() const { return heard_ < kFirstAnswers; }
    /// What is to be told now; once for the first answers, and again for every eight.
    [[nodiscard]] std::optional<ClockDifference> takeNews();
    [[nodiscard]] std::optional<ClockDifference> best() const;

private:
    struct Question {
        std::uint64_t number = 0;
        double asked = 0;
    };
    std::array<Question, kRemembered> questions_{};
    std::array<ClockDifference, kRemembered> answers_{};
    std::uint64_t asked_ = 0;
    std::uint64_t heard_ = 0;
    std::uint64_t tellAt_ = kFirstAnswers;
};

}  // namespace lockstep::coordination
