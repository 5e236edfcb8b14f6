// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

inline constexpr std::uint32_t kSeveritySlow = 1;
inline constexpr std::uint32_t kSeverityStuck = 2;
inline constexpr std::uint32_t kSeverityLost = 3;

/// Why nothing moves, as it is judged at one moment.
struct Finding {
    std::uint32_t severity = kSeveritySlow;
    std::string sentence;
    std::vector<std::uint32_t> processes;
    std::string subject;  ///< Equal for the same trouble, whatever its age.
};

/// Turns what is judged at every tick into the records that are worth writing: one when trouble
/// begins, changes or has lasted another while, one empty one when it is over. No clock, no thread.
class VerdictBoard {
public:
    explicit VerdictBoard(Nanos repeat) : repeat_(repeat) {}

    /// The record to write now, if any. `finding` is the trouble at `now`, or none.
    [[nodiscard]] std::optional<wire::Verdict> update(const std::optional<Finding>& finding,
                                                      Nanos now);

private:
    const Nanos repeat_;
    std::string subject_;  // empty: all is well
    Nanos saidAt_{};
};

}  // namespace lockstep::coordination
