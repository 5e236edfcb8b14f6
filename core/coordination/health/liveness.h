// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

enum class Liveness : std::uint8_t { Alive, Late, Lost };

/// A process has become late, alive again, or lost.
struct LivenessChange {
    ProcessKey process;
    Liveness state = Liveness::Alive;
    Nanos silence{};  ///< Since its last sign of life.
};

/// Decides which processes are alive from the heartbeats they sent. Owns no clock and no thread.
class LivenessTable {
public:
    struct Limits {
        Nanos lateAfter{};
        Nanos lostAfter{};  ///< Longer than lateAfter.
    };

    explicit LivenessTable(Limits limits) : limits_(limits) {}

    /// Expects signs of life of `process` from `now` on; a former life of it is forgotten.
    void watch(const ProcessKey& process, Nanos now);
    void forget(const ProcessKey& process);
    /// A sign of life. One of a lost process, or of one that is not watched, changes nothing.
    void heard(const ProcessKey& process, Nanos now);

    /// What has changed since the last call, in order of process. Lost is final until `watch`.
    [[nodiscard]] std::vector<LivenessChange> advance(Nanos now);
    /// The witness itself did not run for `gap`: nobody's silence in it counts.
    void forgive(Nanos gap);

    /// Time since the last sign of life; 0 for a process that is not watched.
    [[nodiscard]] Nanos silence(const ProcessKey& process, Nanos now) const;
    [[nodiscard]] Liveness stateOf(const ProcessKey& process) const;

private:
    struct Entry {
        Nanos lastHeard{};
        Liveness state = Liveness::Alive;
    };
    const Limits limits_;
    std::map<ProcessKey, Entry> entries_;
};

}  // namespace lockstep::coordination
