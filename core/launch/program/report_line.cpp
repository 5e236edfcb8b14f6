// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/report_line.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/try.h"

namespace lockstep::launch {

namespace {

using nlohmann::json;

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

std::optional<double> numberOf(const json& value) {
    if (value.is_number()) return value.get<double>();
    if (value.is_null() || value == "nan") return kUnknown;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (value == "inf") return kInfinity;
    if (value == "-inf") return -kInfinity;
    return std::nullopt;
}

/// The fields of one report. The first that is not what it should be is remembered.
class Fields {
public:
    explicit Fields(const json& object) : object_(object) {}

    [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
    [[nodiscard]] std::uint64_t count(const char* key) { return whole(key, ~std::uint64_t{0}); }
    [[nodiscard]] std::uint32_t count32(const char* key) {
        return static_cast<std::uint32_t>(whole(key, ~std::uint32_t{0}));
    }
    [[nodiscard]] double number(const char* key, double otherwise) {
        const json* value = find(key);
        if (value == nullptr) return otherwise;
        const auto number = numberOf(*value);
        if (!number) complain(key, "a number");
        return number.value_or(otherwise);
    }
    [[nodiscard]] std::string text(const char* key) {
        const json* value = find(key);
        if (value == nullptr) return {};
        if (value->is_string()) return value->get<std::string>();
        complain(key, "a text");
        return {};
    }
    /// Calls `add` with each value of the column.
    template <typename Add>
    void column(const char* key, Add add) {
        const json* values = find(key);
        if (values == nullptr) return;
        if (!values->is_array()) return complain(key, "a list");
        for (const json& value : *values) {
            const auto number = numberOf(value);
            if (!number) return complain(key, "a list of numbers");
            add(*number);
        }
    }
    [[nodiscard]] std::vector<std::uint64_t> counts(const char* key) {
        std::vector<std::uint64_t> counts;
        const json* values = find(key);
        if (values == nullptr) return counts;
        for (const json& value : *values) {
            if (!value.is_number_unsigned()) {
                complain(key, "a list of whole numbers");
                break;
            }
            counts.push_back(value.get<std::uint64_t>());
        }
        return counts;
    }

    [[nodiscard]] Result<void> checked() const {
        return complaint_.empty() ? Result<void>() : fail(ErrorCode::BadInput, complaint_);
    }

private:
    [[nodiscard]] const json* find(const char* key) const {
        const auto found = object_.find(key);
        return found == object_.end() ? nullptr : &*found;
    }
    std::uint64_t whole(const char* key, std::uint64_t most) {
        const json* value = find(key);
        if (value == nullptr) return 0;
        if (value->is_number_unsigned() && value->get<std::uint64_t>() <= most)
            return value->get<std::uint64_t>();
        complain(key, "a whole number from 0 on");
        return 0;
    }
    void complain(const char* key, std::string_view wanted) {
        if (complaint_.empty()) complaint_ = fmt::format("its {} is not {}", key, wanted);
    }

    const json& object_;
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
Result<ProgramReport> readWith(const json& body, Read read) {
    if (!body.is_object()) return fail(ErrorCode::BadInput, "a report is not an object");
    Fields fields(body);
    ProgramReport report = read(fields);
    TRY(fields.checked());
    return report;
}

}  // namespace

Result<ProgramReport> parseReport(std::string_view line) {
    const json report = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!report.is_object()) return fail(ErrorCode::BadInput, "a report is not a JSON object");
    const auto version = report.find("version");
    if (version == report.end() || *version != kReportVersion)
        return fail(ErrorCode::BadInput,
                    fmt::format("a report is not of version {}", kReportVersion));
    const auto body = [&](const char* kind) -> const json* {
        const auto found = report.find(kind);
        return found == report.end() ? nullptr : &*found;
    };
    if (const json* steps = body("steps")) return readWith(*steps, stepsOf);
    if (const json* figures = body("scalars")) return readWith(*figures, figuresOf);
    if (const json* progress = body("progress")) return readWith(*progress, progressOf);
    if (const json* epoch = body("epoch")) return readWith(*epoch, epochOf);
    if (const json* evaluation = body("evaluation")) return readWith(*evaluation, evaluationOf);
    if (const json* plan = body("plan")) return readWith(*plan, planOf);
    if (const json* drops = body("drops")) return readWith(*drops, dropsOf);
    return fail(ErrorCode::BadInput, "a report says nothing that this version knows");
}

}  // namespace lockstep::launch
