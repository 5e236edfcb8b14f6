// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/report_line.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/try.h"
#include "core/text/json.h"

namespace lockstep::launch {

namespace {

using text::Json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::pair<std::string_view, wire::Phase>, 11> kPhases{{
    {"starting", wire::PHASE_STARTING},
    {"data", wire::PHASE_DATA},
    {"forward", wire::PHASE_FORWARD},
    {"backward", wire::PHASE_BACKWARD},
    {"all-reduce", wire::PHASE_ALL_REDUCE},
    {"update", wire::PHASE_UPDATE},
    {"checkpoint", wire::PHASE_CHECKPOINT},
    {"evaluate", wire::PHASE_EVALUATE},
    {"waiting", wire::PHASE_WAITING},
    {"done", wire::PHASE_DONE},
    {"program", wire::PHASE_PROGRAM},
}};

/// A figure that is none has a word, since JSON has no number for it.
std::optional<double> numberOf(const Json& value) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::string word = value.as<std::string>().value_or("");
    if (value.isNull() || word == "nan") return kUnknown;
    if (word == "inf") return kInfinity;
    if (word == "-inf") return -kInfinity;
    return value.as<double>();
}

/// The fields of one report. The first that is not what it should be is remembered.
class Fields {
public:
    explicit Fields(const Json& object) : object_(object) {}

    [[nodiscard]] bool has(const char* key) const { return object_.has(key); }
    [[nodiscard]] std::uint64_t count(const char* key) { return whole<std::uint64_t>(key); }
    [[nodiscard]] std::uint32_t count32(const char* key) { return whole<std::uint32_t>(key); }
    [[nodiscard]] double number(const char* key, double otherwise) {
        const Json* value = object_.find(key);
        if (value == nullptr) return otherwise;
        const auto number = numberOf(*value);
        if (!number) complain(key, "a number");
        return number.value_or(otherwise);
    }
    [[nodiscard]] std::string text(const char* key) {
        const Json* value = object_.find(key);
        if (value == nullptr) return {};
        auto text = value->as<std::string>();
        if (!text) complain(key, "a text");
        return std::move(text).value_or("");
    }
    /// Calls `add` with each value of the column.
    template <typename Add>
    void column(const char* key, Add add) {
        const Json* values = object_.find(key);
        if (values == nullptr) return;
        if (!values->isList()) return complain(key, "a list");
        for (const Json& value : values->items()) {
            const auto number = numberOf(value);
            if (!number) return complain(key, "a list of numbers");
            add(*number);
        }
    }
    [[nodiscard]] std::vector<std::uint64_t> counts(const char* key) {
        const Json* values = object_.find(key);
        if (values == nullptr) return {};
        auto counts = values->as<std::vector<std::uint64_t>>();
        if (!counts) complain(key, "a list of whole numbers");
        return std::move(counts).value_or(std::vector<std::uint64_t>());
    }

    [[nodiscard]] Result<void> checked() const {
        return complaint_.empty() ? Result<void>() : fail(ErrorCode::BadInput, complaint_);
    }

private:
    template <typename T>
    T whole(const char* key) {
        const Json* value = object_.find(key);
        if (value == nullptr) return 0;
        const auto number = value->as<T>();
        if (!number) complain(key, "a whole number from 0 on");
        return number.value_or(0);
    }
    void complain(const char* key, std::string_view wanted) {
        if (complaint_.empty()) complaint_ = fmt::format("its {} is not {}", key, wanted);
    }

    const Json& object_;
    std::string complaint_;
};

wire::StepBatch stepsOf(Fields& fields) {
    wire::StepBatch steps;
    steps.set_first_step(fields.count("first_step"));
    steps.set_first_end_wall_time(fields.number("first_end_wall_time", 0));
    const auto column = [&fields](const char* key, auto* values) {
        fields.column(key, [values](double value) { values->Add(static_cast<float>(value)); });
    };
    column("loss", steps.mutable_loss());
    column("accuracy", steps.mutable_accuracy());
    column("step_us", steps.mutable_step_us());
    column("data_us", steps.mutable_data_us());
    column("forward_us", steps.mutable_forward_us());
    column("backward_us", steps.mutable_backward_us());
    column("all_reduce_us", steps.mutable_all_reduce_us());
    column("update_us", steps.mutable_update_us());
    return steps;
}

NamedFigures figuresOf(Fields& fields) {
    NamedFigures figures;
    figures.name = fields.text("name");
    figures.unit = fields.text("unit");
    figures.steps = fields.counts("steps");
    fields.column("wall_times", [&](double time) { figures.wallTimes.push_back(time); });
    fields.column("values", [&](double value) { figures.values.push_back(value); });
    return figures;
}

wire::ReplicaProgress progressOf(Fields& fields) {
    wire::ReplicaProgress progress;
    progress.set_step(fields.count("step"));
    progress.set_phase(wire::PHASE_PROGRAM);
    const std::string name = fields.text("phase");
    for (const auto& [word, phase] : kPhases)
        if (word == name) progress.set_phase(phase);
    return progress;
}

wire::EpochResult epochOf(Fields& fields) {
    wire::EpochResult epoch;
    epoch.set_epoch(fields.count32("epoch"));
    epoch.set_step(fields.count("step"));
    epoch.set_train_loss(fields.number("train_loss", kUnknown));
    epoch.set_train_accuracy(fields.number("train_accuracy", kUnknown));
    epoch.set_has_validation(fields.has("validation_loss") || fields.has("validation_accuracy"));
    epoch.set_validation_loss(fields.number("validation_loss", kUnknown));
    epoch.set_validation_accuracy(fields.number("validation_accuracy", kUnknown));
    epoch.set_seconds(fields.number("seconds", 0));
    return epoch;
}

wire::Evaluation evaluationOf(Fields& fields) {
    wire::Evaluation evaluation;
    evaluation.set_split(fields.text("split"));
    evaluation.set_loss(fields.number("loss", kUnknown));
    evaluation.set_accuracy(fields.number("accuracy", kUnknown));
    evaluation.set_step(fields.count("step"));
    evaluation.set_epoch(fields.count32("epoch"));
    evaluation.set_seconds(fields.number("seconds", 0));
    return evaluation;
}

ProgramPlan planOf(Fields& fields) {
    return {fields.count("total_steps"), fields.count("steps_per_epoch"), fields.count32("epochs"),
            fields.count32("batch_size"), fields.count("first_step")};
}

wire::Drops dropsOf(Fields& fields) {
    wire::Drops drops;
    drops.set_first_step(fields.count("first_step"));
    drops.set_count(fields.count("count"));
    return drops;
}

template <typename Read>
Result<ProgramReport> readWith(const Json& body, Read read) {
    if (!body.isObject()) return fail(ErrorCode::BadInput, "a report is not an object");
    Fields fields(body);
    ProgramReport report = read(fields);
    TRY(fields.checked());
    return report;
}

}  // namespace

Result<ProgramReport> parseReport(std::string_view line) {
    const auto parsed = text::parseJson(line);
    if (!parsed)
        return fail(ErrorCode::BadInput, "a report cannot be read: " + parsed.error().message);
    if (!parsed->isObject()) return fail(ErrorCode::BadInput, "a report is not a JSON object");
    const Json& report = *parsed;
    if (report.get<double>("version") != kReportVersion)
        return fail(ErrorCode::BadInput,
                    fmt::format("a report is not of version {}", kReportVersion));
    if (const Json* steps = report.find("steps")) return readWith(*steps, stepsOf);
    if (const Json* figures = report.find("scalars")) return readWith(*figures, figuresOf);
    if (const Json* progress = report.find("progress")) return readWith(*progress, progressOf);
    if (const Json* epoch = report.find("epoch")) return readWith(*epoch, epochOf);
    if (const Json* evaluation = report.find("evaluation"))
        return readWith(*evaluation, evaluationOf);
    if (const Json* plan = report.find("plan")) return readWith(*plan, planOf);
    if (const Json* drops = report.find("drops")) return readWith(*drops, dropsOf);
    return fail(ErrorCode::BadInput, "a report says nothing that this version knows");
}

}  // namespace lockstep::launch
