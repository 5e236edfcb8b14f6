// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/wire_views.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::job {

namespace {
std::int64_t stepOf(std::uint64_t step) {
    return static_cast<std::int64_t>(step);
}

EvaluationView::Pixels pixelsOf(const std::string& bytes) {
    if (bytes.empty()) return nullptr;
    return std::make_shared<const std::vector<std::uint8_t>>(bytes.begin(), bytes.end());
}
}  // namespace

Phase phaseOf(wire::Phase phase) {
    switch (phase) {
        case wire::PHASE_DATA:
            return Phase::Data;
        case wire::PHASE_FORWARD:
            return Phase::Forward;
        case wire::PHASE_BACKWARD:
            return Phase::Backward;
        case wire::PHASE_ALL_REDUCE:
            return Phase::AllReduce;
        case wire::PHASE_UPDATE:
            return Phase::Update;
        case wire::PHASE_CHECKPOINT:
        case wire::PHASE_DISK:
            return Phase::Checkpoint;
        case wire::PHASE_EVALUATE:
        case wire::PHASE_CALLBACK:
            return Phase::Evaluate;
        case wire::PHASE_WAITING:
            return Phase::Waiting;
        case wire::PHASE_DONE:
            return Phase::Done;
        case wire::PHASE_PROGRAM:
            return Phase::Program;
        default:
            return Phase::Starting;
    }
}

Role roleOf(wire::Role role) {
    switch (role) {
        case wire::ROLE_EVALUATOR:
            return Role::Evaluator;
        case wire::ROLE_AGENT:
            return Role::Agent;
        default:
            return Role::Worker;
    }
}

RunState stateOf(wire::RunState state, RunState before) {
    switch (state) {
        case wire::RUN_STATE_LAUNCHING:
            return RunState::Launching;
        case wire::RUN_STATE_TRAINING:
            return RunState::Training;
        case wire::RUN_STATE_VALIDATING:
            return RunState::Validating;
        case wire::RUN_STATE_TESTING:
            return RunState::Testing;
        case wire::RUN_STATE_STOPPING:
            return RunState::Stopping;
        case wire::RUN_STATE_RESTARTING:
            return RunState::Restarting;
        case wire::RUN_STATE_COMPLETED:
            return RunState::Completed;
        case wire::RUN_STATE_FAILED:
            return RunState::Failed;
        case wire::RUN_STATE_STOPPED:
            return RunState::Stopped;
        default:
            return before;
    }
}

namespace {

std::vector<FigureView> figuresOf(
    const google::protobuf::RepeatedPtrField<wire::NamedFigure>& figures) {
    std::vector<FigureView> views;
    for (const wire::NamedFigure& figure : figures)
        views.push_back({figure.name(), figure.value()});
    return views;
}

void addCells(const wire::ConfusionCells& cells, EvaluationView& view) {
    const int count = std::min({cells.truth_size(), cells.prediction_size(), cells.count_size()});
    for (int i = 0; i < count; ++i)
        view.cells.push_back({static_cast<int>(cells.truth(i)),
                              static_cast<int>(cells.prediction(i)), cells.count(i)});
    view.cellsLeftOut = cells.samples_left_out();
}

void addNumbers(const wire::Evaluation& evaluation, EvaluationView& view) {
    view.targetNames.assign(evaluation.target_names().begin(), evaluation.target_names().end());
    const std::size_t targets = view.targetNames.size();
    for (const wire::ValuePrediction& value : evaluation.values()) {
        EvaluationView::Value shown{static_cast<int>(value.index()),
                                    {value.truth().begin(), value.truth().end()},
                                    {value.prediction().begin(), value.prediction().end()}};
        shown.truth.resize(targets);
        shown.prediction.resize(targets);
        view.values.push_back(std::move(shown));
    }
    for (const wire::Residuals& one : evaluation.residuals())
        view.residuals.push_back(
            {one.mean(), one.deviation(), {one.quantiles().begin(), one.quantiles().end()}});
    view.targetsLeftOut = static_cast<int>(evaluation.targets_left_out());
}

}  // namespace

EpochView epochOf(const wire::EpochResult& epoch) {
    EpochView view;
    view.epoch = static_cast<int>(epoch.epoch());
    view.step = stepOf(epoch.step());
    view.trainLoss = epoch.train_loss();
    view.trainAccuracy = epoch.train_accuracy();
    if (epoch.has_validation()) {
        view.validationLoss = epoch.validation_loss();
        view.validationAccuracy = epoch.validation_accuracy();
    }
    view.trainFigures = figuresOf(epoch.train_figures());
    view.validationFigures = figuresOf(epoch.validation_figures());
    view.seconds = epoch.seconds();
    return view;
}

CheckpointView checkpointOf(const wire::CheckpointEvent& event, double wallTime) {
    CheckpointView view;
    view.step = stepOf(event.step());
    view.epoch = static_cast<int>(event.epoch());
    view.path = event.path();
    view.bytes = event.bytes();
    view.stallSeconds = event.stall_seconds();
    view.commitSeconds = event.commit_seconds();
    view.wallTime = wallTime;
    view.error = event.error();
    return view;
}

EvaluationView evaluationOf(const wire::Evaluation& evaluation, double wallTime) {
    EvaluationView view;
    view.step = stepOf(evaluation.step());
    view.epoch = static_cast<int>(evaluation.epoch());
    view.split = evaluation.split();
    view.loss = evaluation.loss();
    view.accuracy = evaluation.accuracy();
    view.figures = figuresOf(evaluation.figures());
    view.classes = static_cast<int>(evaluation.classes());
    addCells(evaluation.cells(), view);
    addNumbers(evaluation, view);
    for (const wire::GeneratedText& text : evaluation.texts())
        view.texts.push_back({text.prompt(), text.continuation(), text.temperature()});
    view.perClassAccuracy.assign(evaluation.per_class_accuracy().begin(),
                                 evaluation.per_class_accuracy().end());
    view.confusion.assign(evaluation.confusion().begin(), evaluation.confusion().end());
    view.samples.reserve(static_cast<std::size_t>(evaluation.samples_size()));
    for (const wire::SamplePrediction& sample : evaluation.samples()) {
        view.samples.push_back({static_cast<int>(sample.index()), static_cast<int>(sample.truth()),
                                static_cast<int>(sample.prediction()), sample.probability(),
                                sample.truth_probability(), pixelsOf(sample.pixels())});
    }
    view.seconds = evaluation.seconds();
    view.wallTime = wallTime;
    view.error = evaluation.error();
    return view;
}

FailureView failureOf(const wire::Failure& failure, double wallTime) {
    FailureView view;
    view.processId = static_cast<int>(failure.process_id());
    view.role = roleOf(failure.role());
    view.host = failure.host();
    view.cause = failure.cause();
    view.step = stepOf(failure.step());
    view.detectedAfterSeconds = failure.detected_after_seconds();
    view.wallTime = wallTime;
    return view;
}

NoticeView noticeOf(const wire::Notice& notice, double wallTime) {
    return {static_cast<int>(notice.process_id()), roleOf(notice.role()), notice.sentence(),
            wallTime};
}

LogEntry logOf(const wire::LogLine& line, double wallTime, std::int64_t journalOffset) {
    return {wallTime,
            static_cast<int>(line.process_id()),
            roleOf(line.role()),
            static_cast<int>(std::min(line.level(), 3U)),
            line.text(),
            line.unfinished(),
            journalOffset};
}

HeartbeatMark markOf(const wire::Heartbeat& heartbeat, double wallTime) {
    HeartbeatMark mark;
    mark.processId = static_cast<int>(heartbeat.process_id());
    mark.role = roleOf(heartbeat.role());
    mark.wallTime = wallTime;
    for (const wire::ReplicaProgress& progress : heartbeat.replicas())
        mark.step = std::max(mark.step, stepOf(progress.step()));
    if (heartbeat.replicas_size() > 0) mark.phase = phaseOf(heartbeat.replicas(0).phase());
    return mark;
}

std::string nameFailure(const FailureView& failure) {
    switch (failure.role) {
        case Role::Evaluator:
            return fmt::format("evaluator{} ({}): {}",
                               failure.processId > 0 ? fmt::format(" {}", failure.processId) : "",
                               failure.host, failure.cause);
        case Role::Agent:
            return fmt::format("agent ({}): {}", failure.host, failure.cause);
        case Role::Worker:
            break;
    }
    return fmt::format("process {} ({}): {}", failure.processId, failure.host, failure.cause);
}

LoadMark loadOf(const wire::ProcessFigures& figures, double sharedTime) {
    LoadMark mark;
    mark.processId = static_cast<int>(figures.process_id());
    mark.role = roleOf(figures.role());
    mark.sharedTime = sharedTime;
    mark.cpuPercent = figures.cpu_percent();
    mark.residentBytes = figures.resident_bytes();
    for (const wire::GpuFigures& gpu : figures.gpus())
        mark.gpus.push_back({gpu.uuid(), gpu.compute_percent()});
    return mark;
}

}  // namespace lockstep::job
