// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/telemetry/scalars.h"
#include "core/telemetry/trace_tracks.h"
#include "core/telemetry/trace_window.h"

namespace lockstep::telemetry {

/// What of a journal came to be in a timeline, and what did not.
struct TraceCounts {
    std::uint64_t steps = 0;
    std::uint64_t stepsLeftOut = 0;      ///< They are not in the window.
    std::uint64_t othersLeftOut = 0;     ///< Likewise: everything that is no step.
    std::uint64_t stepsNotRecorded = 0;  ///< Dropped while they were trained.
};

/// Turns the records of a journal into slices, instants and counters, in the journal's order. Its
/// memory does not grow with the length of the run.
class TraceEvents {
public:
    /// `name`: of the run.
    TraceEvents(TracePackets& packets, const ClockBook& clocks, TraceLimits limits,
                const std::string& name)
        : packets_(packets), clocks_(clocks), limits_(limits), tracks_(packets, clocks, roster_) {
        std::ignore = tracks_.run(name);
    }

    void take(const wire::Record& record);
    /// Ends what has not ended by `time`.
    void finish(std::int64_t time);
    [[nodiscard]] const TraceCounts& counts() const { return counts_; }

private:
    /// Something that goes on until another record ends it.
    struct Open {
        std::int64_t begin = 0;
        std::string name;
        TraceArguments arguments;
    };
    void takeReplica(const wire::Record& record);
    void takeStart(const wire::RunInfo& info, std::int64_t time);
    void takeState(const wire::RunStateChange& change, std::int64_t time);
    void takeSteps(const wire::StepBatch& batch);
    void writeStep(std::uint32_t replica, const PlacedStep& step);
    void countSamples(const PlacedStep& step);
    void takeCheckpoint(const wire::CheckpointEvent& event, std::int64_t time);
    void takeEvaluation(const wire::Evaluation& evaluation, double seconds);
    void takeFailure(const wire::Failure& failure, std::int64_t time);
    void takeDrill(const wire::Drill& drill, std::int64_t time);
    void takeFigures(const wire::ProcessFigures& figures, double seconds);
    void takeClock(const wire::ClockOffset& offset, double seconds);
    void takeScalars(const wire::Record& record);
    void happen(std::int64_t time, const std::string& name, const char* category,
                const TraceArguments& arguments = {});
    void count(const ProcessName& process, std::int64_t time, const std::string& name,
               const std::string& unit, double value);
    void span(TraceTrack& track, std::int64_t begin, std::int64_t end, const std::string& name,
              const char* category, const TraceArguments& arguments);
    void endState(std::int64_t time);
    void endStart(std::int64_t time);
    void endValidation(std::int64_t time);
    [[nodiscard]] std::int64_t time(const ProcessName& process, double seconds) const {
        return timeOn(clocks_, roster_, process, seconds);
    }

    TracePackets& packets_;
    const ClockBook& clocks_;
    const TraceLimits limits_;
    RunRoster roster_;
    TraceTracks tracks_;
    TraceCounts counts_;
    ScalarExpander expander_;
    std::vector<Scalar> scalars_;
    std::optional<ProcessName> evaluator_;  ///< That came last.
    std::optional<Open> start_;
    std::optional<Open> state_;
    std::optional<Open> validation_;  ///< Or a test.
    std::map<std::string, wire::DrillPhase> drills_;
    std::uint64_t starts_ = 0;
    std::uint64_t samplesOfStep_ = 0;
    std::int64_t rateSince_ = 0;
    std::uint64_t rateSteps_ = 0;
    std::int64_t newest_ = 0;  ///< Of what is of the present start.
};

}  // namespace lockstep::telemetry
