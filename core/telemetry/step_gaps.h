// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// Steps of a replica that were trained, and of which no record tells.
struct StepGap {
    std::uint32_t replica = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    /// The run went on behind them: what told them was lost with a process.
    bool isBeforeStart = false;
};

/// Finds them in a journal's records, one by one. What a run that goes back trains again is told
/// again, so it leaves no gap; a replica that goes on may tell what is left of its former life
/// first.
class StepGaps {
public:
    /// Those that are known by now to be gaps.
    [[nodiscard]] std::vector<StepGap> take(const wire::Record& record);
    /// Those that are gaps if nothing comes any more.
    [[nodiscard]] std::vector<StepGap> close();
    /// Steps that were told, of each replica, and again where it trained them again.
    [[nodiscard]] std::uint64_t told() const { return told_; }

private:
    struct Replica {
        std::uint64_t next = 1;  ///< The step that it tells next.
        bool hasTold = false;    ///< Since the run has begun or begun again.
    };

    void beginAgain();
    void begin(const wire::RunInfo& start);
    void take(const wire::StepBatch& batch);
    void take(const wire::Drops& drops);
    void add(std::uint32_t replica, std::uint64_t begin, std::uint64_t end);
    void place(const StepGap& gap);
    void placeThoseBefore();

    std::map<std::uint32_t, Replica> replicas_;  ///< Of the newest start.
    bool isStartKnown_ = false;      ///< Process 0 has said where the newest start begins:
    std::uint64_t first_ = 1;        ///< its first step.
    std::uint64_t epochEnd_ = 0;     ///< What its last epoch had trained, all replicas have done.
    std::vector<StepGap> unplaced_;  ///< Found before that word: before it or behind it?
    std::vector<StepGap> found_;
    std::uint64_t told_ = 0;
};

}  // namespace lockstep::telemetry
