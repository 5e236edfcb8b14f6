// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/state/job_rules.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

inline constexpr std::uint32_t kSeveritySilent = 1;
inline constexpr std::uint32_t kSeverityStuck = 2;
inline constexpr std::uint32_t kSeverityLost = 3;
inline constexpr std::uint32_t kSeveritySlow = 4;  ///< The job trains on. A record says `slow`.

/// Of a record.
[[nodiscard]] inline std::uint32_t severityOf(const wire::Verdict& verdict) {
    return verdict.slow() ? kSeveritySlow : verdict.severity();
}

/// Why nothing moves, or slower than it could, as it is judged at one moment.
struct Finding {
    std::uint32_t severity = kSeveritySilent;
    std::string sentence;
    std::vector<std::uint32_t> processes;
    bool isOfSeveral = false;               ///< None of them is at fault more than another.
    std::vector<std::uint32_t> replicas{};  ///< Who of them; empty: all.
    std::string subject;                    ///< Equal for the same trouble, whatever its age.
    std::string hold{};   ///< What keeps the silent from running, in words; empty: not known.
    std::string cause{};  ///< The sentence as the cause of an end, without the first one's name.
    Nanos age{};          ///< So long it has stood, where it is of the stuck kind.
    bool isOfNetwork = false;   ///< Nobody is known to stand still: their connection may be down.
    bool knowsLinks = false;    ///< And they have tried which connections are.
    bool knowsThreads = false;  ///< Their threads were asked, and some have answered.
    /// Any of whom may stand still, where nobody is known to; those whom it names come first.
    std::vector<std::uint32_t> suspects{};
};

/// What a standing trouble leads to, and when.
struct NearEnd {
    StuckAction action = StuckAction::Wait;
    Nanos at{};       ///< On the clock of `now`.
    double wall = 0;  ///< The same moment as seconds since 1970.
};

/// Turns what is judged at every tick into the records that are worth writing: one when trouble
/// begins, changes or has lasted another while, one empty one when it is over. No clock, no thread.
class VerdictBoard {
public:
    explicit VerdictBoard(Nanos repeat) : repeat_(repeat) {}

    /// The record to write now, if any. `finding` is the trouble at `now`, or none; `end` is what
    /// it leads to, or none: another moment of that is news, too.
    [[nodiscard]] std::optional<wire::Verdict> update(const std::optional<Finding>& finding,
                                                      const std::optional<NearEnd>& end, Nanos now);

private:
    const Nanos repeat_;
    /// What is said of the same trouble has changed where this has.
    using Known = std::tuple<bool, bool, bool>;

    std::string subject_;  // empty: all is well
    Known known_;
    Nanos saidAt_{};
    std::optional<Nanos> saidEnd_;
};

}  // namespace lockstep::coordination
