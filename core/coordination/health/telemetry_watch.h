// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/loop_watch.h"
#include "core/coordination/state/process_key.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// A process whose heartbeats come, and nothing else that its telemetry tells; or again.
struct TelemetryNews {
    ProcessKey process;
    Nanos stood{};          ///< For so long.
    bool isOver = false;    ///< It tells again.
    bool trainsOn = false;  ///< Its steps are not told.
};

/// Notices that the thread which tells a process's steps and figures stands still while the one of
/// its heartbeats goes on. Figures come every two seconds, steps as soon as they are made; either
/// shows that it moves. Who has ended its steps, and told all of them, owes nothing more; a user's
/// own program owes no steps, but whoever supervises it figures. No clock, no thread.
class TelemetryWatch {
public:
    static constexpr Nanos kPatience = std::chrono::seconds(10);

    /// What a worker or an evaluator says of itself.
    void note(const ProcessKey& process, const wire::Record& record, Nanos now);
    /// One whose heartbeats are missing is not judged.
    void setSilent(const ProcessKey& process, bool isSilent);
    void forget(const ProcessKey& process) { processes_.erase(process); }
    void beginGeneration() { processes_.clear(); }

    /// Who has begun to stand still and who tells again since the last look. To be called often:
    /// time for which the coordinator did not look is nobody's standstill.
    [[nodiscard]] std::vector<TelemetryNews> look(Nanos now);
    /// For how long it has been standing, of a process whose replicas are done: it cannot end.
    [[nodiscard]] std::optional<Nanos> stoodAtEnd(const ProcessKey& process) const;

private:
    struct Replica {
        std::uint64_t trained = 0;  ///< As heartbeats say.
        std::uint64_t told = 0;     ///< Or what was before: what it began with, or was dropped.
        bool isOpen = true;         ///< Where that is the next heartbeat says.
    };
    struct Process {
        LoopWatch watch{kPatience, Nanos::max()};
        Nanos movedAt{};
        bool isSilent = false;
        bool sendsFigures = false;
        bool isProgram = false;  ///< A user's own.
        bool isDone = false;
        bool isNamed = false;  ///< Its standstill is told.
        std::map<std::uint32_t, Replica> replicas{};
    };
    static void noteHeartbeat(Process& process, const wire::Heartbeat& heartbeat);
    [[nodiscard]] static bool isBehind(const Process& process);

    std::map<ProcessKey, Process> processes_;
};

}  // namespace lockstep::coordination
