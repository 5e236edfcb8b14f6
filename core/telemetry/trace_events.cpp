// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::telemetry {

namespace {

constexpr ProcessName kChief{wire::ROLE_WORKER, 0};
constexpr std::int64_t kRateNanos = 500'000'000;
constexpr double kMebibyte = 1 << 20;

/// "DRILL_KIND_BIT_FLIP" as "bit flip".
std::string wordsOf(std::string name, std::size_t prefix) {
    name = name.substr(std::min(prefix, name.size()));
    for (char& letter : name)
        letter = letter == '_' ? ' ' : static_cast<char>(std::tolower(letter));
    return name;
}

std::string wordsOf(wire::RunState state) {
    return wordsOf(wire::RunState_Name(state), std::string_view("RUN_STATE_").size());
}

std::int64_t nanos(double seconds) {
    return std::isfinite(seconds) ? std::llround(std::clamp(seconds, 0.0, 4e9) * 1e9) : 0;
}

}  // namespace

void TraceEvents::take(const wire::Record& record) {
    const double seconds = record.wall_time();
    // What the coordinator and process 0 say; the others' records are timed where they are taken.
    const std::int64_t at = time(kChief, seconds);
    switch (record.body_case()) {
        case wire::Record::kRunInfo:
            takeStart(record.run_info(), at);
            break;
        case wire::Record::kRunState:
            takeState(record.run_state(), at);
            break;
        case wire::Record::kReplicaInfo:
            return takeReplica(record);
        case wire::Record::kSteps:
            return takeSteps(record.steps());
        case wire::Record::kDrops:
            counts_.stepsNotRecorded += record.drops().count();
            return;
        case wire::Record::kEpoch:
            endValidation(at);
            return takeScalars(record);
        case wire::Record::kCheckpoint:
            return takeCheckpoint(record.checkpoint(), at);
        case wire::Record::kEvaluation:
            takeEvaluation(record.evaluation(), seconds);
            return takeScalars(record);
        case wire::Record::kScalarSeries:
        case wire::Record::kScalars:
            return takeScalars(record);
        case wire::Record::kFigures:
            return takeFigures(record.figures(), seconds);
        case wire::Record::kClockOffset:
            return takeClock(record.clock_offset(), seconds);
        case wire::Record::kFailure:
            return takeFailure(record.failure(), nanos(seconds));
        case wire::Record::kVerdict:
            return happen(nanos(seconds),
                          record.verdict().sentence().empty() ? "all is well again"
                                                              : record.verdict().sentence(),
                          "verdict");
        case wire::Record::kDrill:
            return takeDrill(record.drill(), nanos(seconds));
        case wire::Record::kNotice:
            return happen(time({record.notice().role(), record.notice().process_id()}, seconds),
                          record.notice().sentence(), "notice");
        case wire::Record::kRunEnd:
            happen(at, fmt::format("the run ends: {}", record.run_end().status()), "end");
            break;
        default:
            return;
    }
    newest_ = std::max(newest_, at);  // of the start that this belongs to
}

void TraceEvents::takeReplica(const wire::Record& record) {
    const wire::ReplicaInfo& info = record.replica_info();
    roster_.take(info);
    expander_.expand(record, scalars_);
    if (info.role() == wire::ROLE_EVALUATOR) evaluator_ = {info.role(), info.process_id()};
}

void TraceEvents::happen(std::int64_t time, const std::string& name, const char* category,
                         const TraceArguments& arguments) {
    if (!limits_.has(time)) return void(++counts_.othersLeftOut);
    packets_.instant(tracks_.ofRun("events", 2), time, name, category, arguments);
}

/// The part of it that lies in the window.
void TraceEvents::span(TraceTrack& track, std::int64_t begin, std::int64_t end,
                       const std::string& name, const char* category,
                       const TraceArguments& arguments) {
    if (end < limits_.begin || begin > limits_.end) return void(++counts_.othersLeftOut);
    packets_.slice(track, std::max(begin, limits_.begin), std::min(end, limits_.end), name,
                   category, arguments);
}

void TraceEvents::takeStart(const wire::RunInfo& info, std::int64_t time) {
    if (info.amends()) {
        samplesOfStep_ = info.global_batch_size();
        return;
    }
    endState(newest_);
    endValidation(newest_);
    endStart(newest_);
    samplesOfStep_ = info.global_batch_size();
    rateSteps_ = 0;
    ++starts_;
    const TraceArguments arguments{{"first_step", info.first_step() + 1},
                                   {"generation", std::uint64_t{info.generation()}},
                                   {"replicas", std::uint64_t{info.replica_count()}}};
    start_ = Open{time, fmt::format("start {}", starts_), arguments};
    if (starts_ > 1)
        happen(time, fmt::format("restart behind step {}", info.first_step()), "restart",
               arguments);
}

void TraceEvents::endStart(std::int64_t time) {
    if (!start_) return;
    span(tracks_.ofRun("starts", 0), start_->begin, time, start_->name, "start", start_->arguments);
    start_.reset();
}

void TraceEvents::takeState(const wire::RunStateChange& change, std::int64_t time) {
    endValidation(time);
    endState(time);
    state_ = Open{time, wordsOf(change.state()), {{"sentence", change.sentence()}}};
    if (change.state() == wire::RUN_STATE_VALIDATING) validation_ = Open{time, "validation", {}};
    if (change.state() == wire::RUN_STATE_TESTING) validation_ = Open{time, "test", {}};
}

void TraceEvents::endState(std::int64_t time) {
    if (!state_) return;
    span(tracks_.ofRun("state", 1), state_->begin, time, state_->name, "state", state_->arguments);
    state_.reset();
}

void TraceEvents::endValidation(std::int64_t time) {
    if (!validation_) return;
    span(tracks_.ofProcess(kChief, "validation"), validation_->begin, time, validation_->name,
         "validation", {});
    validation_.reset();
}

void TraceEvents::takeSteps(const wire::StepBatch& batch) {
    placeSteps(batch, clocks_, roster_, [&](const PlacedStep& step) {
        newest_ = std::max(newest_, step.end);
        if (!limits_.hasStep(step.step, step.begin)) return void(++counts_.stepsLeftOut);
        writeStep(batch.replica(), step);
        if (batch.replica() == 0) countSamples(step);
    });
}

void TraceEvents::writeStep(std::uint32_t replica, const PlacedStep& step) {
    TraceTrack& track = tracks_.replica(replica);
    packets_.beginSlice(track, step.begin, "step", "step", {{"step", step.step}});
    if (step.hasPhases) {
        std::int64_t begin = step.begin;
        for (std::size_t i = 0; i < step.phaseEnds.size(); ++i) {
            const std::string_view name = PlacedStep::kPhases[i];
            packets_.slice(track, std::max(begin, track.end), step.phaseEnds[i], name,
                           name == "all-reduce" ? "collective" : "phase");
            begin = step.phaseEnds[i];
        }
    }
    packets_.endSlice(track, step.end);
    ++counts_.steps;
    if (step.hasLoss)
        packets_.count(tracks_.counter(roster_.processOf(replica),
                                       fmt::format("replica {} loss", replica), ""),
                       step.end, double{step.loss});
}

/// Of all replicas, by the pace of the first one.
void TraceEvents::countSamples(const PlacedStep& step) {
    if (rateSteps_ == 0) rateSince_ = step.begin;
    ++rateSteps_;
    const std::int64_t taken = step.end - rateSince_;
    if (taken < kRateNanos || samplesOfStep_ == 0) return;
    const double rate =
        static_cast<double>(rateSteps_ * samplesOfStep_) * 1e9 / static_cast<double>(taken);
    packets_.count(tracks_.counterOfRun("samples per second", ""), step.end, rate);
    rateSteps_ = 0;
}

void TraceEvents::takeCheckpoint(const wire::CheckpointEvent& event, std::int64_t time) {
    TraceArguments arguments{
        {"step", event.step()}, {"bytes", event.bytes()}, {"stall_seconds", event.stall_seconds()}};
    if (!event.error().empty()) arguments.push_back({"error", event.error()});
    span(tracks_.ofProcess(kChief, "checkpoint writes"), time - nanos(event.commit_seconds()), time,
         fmt::format("checkpoint of step {}", event.step()), "checkpoint", arguments);
}

void TraceEvents::takeEvaluation(const wire::Evaluation& evaluation, double seconds) {
    const ProcessName process = evaluation.has_evaluator()
                                    ? ProcessName{wire::ROLE_EVALUATOR, evaluation.evaluator()}
                                    : evaluator_.value_or(kChief);
    const std::int64_t end = time(process, seconds);
    TraceArguments arguments{{"step", evaluation.step()}, {"split", evaluation.split()}};
    if (evaluation.error().empty())
        arguments.push_back({"loss", evaluation.loss()});
    else
        arguments.push_back({"error", evaluation.error()});
    span(tracks_.ofProcess(process, "evaluations"), end - nanos(evaluation.seconds()), end,
         fmt::format("evaluation of step {}", evaluation.step()), "evaluation", arguments);
}

void TraceEvents::takeFailure(const wire::Failure& failure, std::int64_t time) {
    happen(time,
           fmt::format("failure of {} {}: {}",
                       failure.role() == wire::ROLE_EVALUATOR ? "evaluator" : "process",
                       failure.process_id(), failure.cause()),
           "failure", {{"host", failure.host()}, {"step", failure.step()}});
}

/// A drill's records repeat what is known; an instant is made of each phase that is new.
void TraceEvents::takeDrill(const wire::Drill& drill, std::int64_t time) {
    const auto [known, isNew] = drills_.try_emplace(drill.id(), drill.phase());
    if (!isNew && known->second == drill.phase()) return;
    known->second = drill.phase();
    const std::string kind =
        wordsOf(wire::DrillKind_Name(drill.kind()), std::string_view("DRILL_KIND_").size());
    const std::string phase =
        wordsOf(wire::DrillPhase_Name(drill.phase()), std::string_view("DRILL_PHASE_").size());
    happen(time, fmt::format("drill {}: {}", kind, phase), "drill",
           {{"process", std::uint64_t{drill.process_id()}}, {"sentence", drill.sentence()}});
}

void TraceEvents::count(const ProcessName& process, std::int64_t time, const std::string& name,
                        const std::string& unit, double value) {
    if (!limits_.has(time)) return void(++counts_.othersLeftOut);
    packets_.count(tracks_.counter(process, name, unit), time, value);
}

void TraceEvents::takeFigures(const wire::ProcessFigures& figures, double seconds) {
    const ProcessName process{figures.role(), figures.process_id()};
    const std::int64_t at = time(process, seconds);
    count(process, at, "CPU", "% of a core", double{figures.cpu_percent()});
    count(process, at, "memory", "MiB", static_cast<double>(figures.resident_bytes()) / kMebibyte);
    for (int i = 0; i < figures.gpus_size(); ++i) {
        const wire::GpuFigures& gpu = figures.gpus(i);
        count(process, at, fmt::format("GPU {} busy", i), "%", double{gpu.compute_percent()});
        count(process, at, fmt::format("GPU {} memory", i), "MiB",
              static_cast<double>(gpu.used_bytes()) / kMebibyte);
        count(process, at, fmt::format("GPU {} power", i), "W", double{gpu.watts()});
    }
}

void TraceEvents::takeClock(const wire::ClockOffset& offset, double seconds) {
    const ProcessName process{offset.role(), offset.process_id()};
    count(process, time(process, seconds), "clock corrected by", "ms",
          1e3 * offset.offset_seconds());
}

void TraceEvents::takeScalars(const wire::Record& record) {
    scalars_.clear();
    expander_.expand(record, scalars_);
    const bool isEvaluators =
        record.has_evaluation() || record.scalars().role() == wire::ROLE_EVALUATOR;
    const ProcessName ofRun = isEvaluators ? evaluator_.value_or(kChief) : kChief;
    for (const Scalar& scalar : scalars_) {
        if (!std::isfinite(scalar.value)) continue;
        const std::string tag(scalar.tag);
        if (scalar.replica >= 0) {
            const auto replica = static_cast<std::uint32_t>(scalar.replica);
            const ProcessName process = roster_.processOf(replica);
            count(process, time(process, scalar.wallTime),
                  fmt::format("replica {} {}", replica, tag), "", scalar.value);
            continue;
        }
        const std::int64_t at = time(ofRun, scalar.wallTime);
        if (limits_.has(at))
            packets_.count(tracks_.counterOfRun(tag, ""), at, scalar.value);
        else
            ++counts_.othersLeftOut;
    }
}

void TraceEvents::finish(std::int64_t time) {
    const std::int64_t end = std::max(time, newest_);
    endValidation(end);
    endState(end);
    endStart(end);
}

}  // namespace lockstep::telemetry
