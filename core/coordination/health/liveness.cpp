// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/liveness.h"

#include <algorithm>

namespace lockstep::coordination {

void LivenessTable::watch(const ProcessKey& process, Nanos now) {
    entries_[process] = Entry{now, Liveness::Alive};
}

void LivenessTable::forget(const ProcessKey& process) {
    entries_.erase(process);
}

void LivenessTable::heard(const ProcessKey& process, Nanos now) {
    const auto found = entries_.find(process);
    if (found == entries_.end() || found->second.state == Liveness::Lost) return;
    found->second.lastHeard = std::max(found->second.lastHeard, now);
}

std::vector<LivenessChange> LivenessTable::advance(Nanos now) {
    std::vector<LivenessChange> changes;
    for (auto& [process, entry] : entries_) {
        if (entry.state == Liveness::Lost) continue;
        const Nanos silence = now - entry.lastHeard;
        const Liveness state = silence >= limits_.lostAfter   ? Liveness::Lost
                               : silence >= limits_.lateAfter ? Liveness::Late
                                                              : Liveness::Alive;
        if (state == entry.state) continue;
        entry.state = state;
        changes.push_back({process, state, silence});
    }
    return changes;
}

void LivenessTable::forgive(Nanos gap) {
    for (auto& [process, entry] : entries_)
        entry.lastHeard += gap;
}

Nanos LivenessTable::silence(const ProcessKey& process, Nanos now) const {
    const auto found = entries_.find(process);
    return found == entries_.end() ? Nanos{} : std::max(Nanos{}, now - found->second.lastHeard);
}

Liveness LivenessTable::stateOf(const ProcessKey& process) const {
    const auto found = entries_.find(process);
    return found == entries_.end() ? Liveness::Alive : found->second.state;
}

}  // namespace lockstep::coordination
