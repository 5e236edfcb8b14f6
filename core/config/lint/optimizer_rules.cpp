// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/optimizer_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/plural.h"
#include "core/config/job/monitor.h"
#include "core/config/keys/optimizer_keys.h"

namespace lockstep::config {

namespace {

using Kind = OptimizerKind;

/// A setting of some optimizers. A resolved job file writes every key: a value that is the default
/// was not asked for.
struct OptimizerOption {
    const char* key;
    bool isChanged;
    std::vector<Kind> users;
    const char* remedy;
};

std::vector<OptimizerOption> optimizerOptions(const TrainingSpec& t) {
    const TrainingSpec defaults;
    const bool isLionsBeta = t.beta2 == kLionBeta2;
    return {
        {"training.momentum",
         t.momentum != defaults.momentum,
         {Kind::Sgd, Kind::RmsProp},
         "\"sgd\""},
        {"training.nesterov", t.nesterov, {Kind::Sgd}, "\"sgd\""},
        {"training.beta_1",
         t.beta1 != defaults.beta1,
         {Kind::Adam, Kind::AdamW, Kind::Lion},
         "\"adam\""},
        {"training.beta_2",
         t.beta2 != defaults.beta2 && !isLionsBeta,
         {Kind::Adam, Kind::AdamW, Kind::Lion},
         "\"adam\""},
        {"training.epsilon",
         t.epsilon != defaults.epsilon,
         {Kind::Adam, Kind::AdamW, Kind::RmsProp},
         "\"adam\""},
        {"training.rho", t.rho != defaults.rho, {Kind::RmsProp}, "\"rmsprop\""},
    };
}

struct ScheduleOption {
    const char* key;
    bool isChanged;
    std::vector<ScheduleKind> users;
};

std::vector<ScheduleOption> scheduleOptions(const ScheduleSpec& s) {
    using K = ScheduleKind;
    const ScheduleSpec defaults;
    return {
        {"initial_learning_rate",
         s.initialLearningRate.has_value(),
         {K::Cosine, K::Exponential, K::Polynomial}},
        {"decay_steps", s.decaySteps != 0, {K::Cosine, K::Exponential, K::Polynomial}},
        {"decay_epochs", s.decayEpochs != 0, {K::Cosine, K::Exponential, K::Polynomial}},
        {"alpha", s.alpha != 0, {K::Cosine}},
        {"warmup_target", s.warmupTarget.has_value(), {K::Cosine}},
        {"warmup_steps", s.warmupSteps != 0, {K::Cosine}},
        {"warmup_epochs", s.warmupEpochs != 0, {K::Cosine}},
        {"decay_rate", s.decayRate != defaults.decayRate, {K::Exponential}},
        {"staircase", s.staircase, {K::Exponential}},
        {"boundaries", !s.boundaries.empty(), {K::Piecewise}},
        {"values", !s.values.empty(), {K::Piecewise}},
        {"end_learning_rate", s.endLearningRate != defaults.endLearningRate, {K::Polynomial}},
        {"power", s.power != defaults.power, {K::Polynomial}},
        {"cycle", s.cycle, {K::Polynomial}},
        {"factor", s.factor != defaults.factor, {K::ReduceOnPlateau}},
        {"patience", s.patience != defaults.patience, {K::ReduceOnPlateau}},
        {"min_delta", s.minDelta != defaults.minDelta, {K::ReduceOnPlateau}},
        {"cooldown", s.cooldown != defaults.cooldown, {K::ReduceOnPlateau}},
        {"min_learning_rate", s.minLearningRate != defaults.minLearningRate, {K::ReduceOnPlateau}},
    };
}

std::string scheduleKey(std::string_view name) {
    return fmt::format("training.schedule.{}", name);
}

/// What belongs to another schedule changes nothing.
void checkForeignOptions(const ScheduleSpec& schedule, Report& report) {
    for (const ScheduleOption& option : scheduleOptions(schedule)) {
        const std::string key = scheduleKey(option.key);
        if (!option.isChanged || !report.isWritten(key)) continue;
        if (std::ranges::find(option.users, schedule.kind) != option.users.end()) continue;
        report.warning(key,
                       fmt::format("{} is given, but the schedule is \"{}\", which ignores it", key,
                                   toString(schedule.kind)),
                       fmt::format("Remove it, or set training.schedule.type to \"{}\".",
                                   toString(option.users.front())));
    }
}

void checkDecay(const ScheduleSpec& schedule, Report& report) {
    if (schedule.decaySteps != 0 && schedule.decayEpochs != 0)
        report.error(scheduleKey("decay_epochs"),
                     fmt::format("training.schedule.decay_steps is {} and "
                                 "training.schedule.decay_epochs is {}, but only one can hold",
                                 schedule.decaySteps, schedule.decayEpochs),
                     "Remove one of them.");
    if (schedule.decaySteps == 0 && schedule.decayEpochs == 0)
        report.errorNear(scheduleKey("decay_steps"), scheduleKey("type"),
                         fmt::format("training.schedule.decay_steps is missing: how long \"{}\" "
                                     "takes",
                                     toString(schedule.kind)),
                         "Set training.schedule.decay_steps, or decay_epochs.");
}

void checkWarmUp(const ScheduleSpec& schedule, Report& report) {
    if (schedule.warmupSteps != 0 && schedule.warmupEpochs != 0)
        report.error(scheduleKey("warmup_epochs"),
                     fmt::format("training.schedule.warmup_steps is {} and "
                                 "training.schedule.warmup_epochs is {}, but only one can hold",
                                 schedule.warmupSteps, schedule.warmupEpochs),
                     "Remove one of them.");
    const bool isLong = schedule.warmupSteps != 0 || schedule.warmupEpochs != 0;
    if (isLong == schedule.warmupTarget.has_value()) return;
    if (isLong)
        report.error(scheduleKey(schedule.warmupSteps != 0 ? "warmup_steps" : "warmup_epochs"),
                     "the schedule has a warm-up, but training.schedule.warmup_target is missing: "
                     "the rate it grows to",
                     "Set training.schedule.warmup_target, for example to the highest rate.");
    else
        report.warning(scheduleKey("warmup_target"),
                       "training.schedule.warmup_target is given, but the warm-up takes 0 steps",
                       "Set training.schedule.warmup_steps, or warmup_epochs.");
}

void checkPieces(const ScheduleSpec& schedule, Report& report) {
    const std::string key = scheduleKey("boundaries");
    const auto& cuts = schedule.boundaries;
    if (cuts.empty() || schedule.values.size() != cuts.size() + 1) {
        report.errorNear(
            schedule.values.empty() ? scheduleKey("values") : key, scheduleKey("type"),
            fmt::format("training.schedule has {} and {}, but rates must be one more "
                        "than boundaries, of which there must be one",
                        counted(cuts.size(), "boundary"), counted(schedule.values.size(), "value")),
            "Write for example boundaries = [1000] and values = [0.1, 0.01].");
        return;
    }
    const bool areSteps = std::ranges::all_of(cuts, [](double at) { return at == std::floor(at); });
    if (!areSteps || !std::ranges::is_sorted(cuts))
        report.error(key, "training.schedule.boundaries must be whole numbers in ascending order",
                     "Write the steps from the first to the last.");
}

void checkPlateau(const JobSpec& spec, Report& report) {
    if (!hasValidation(spec.data))
        report.error(scheduleKey("type"),
                     "training.schedule.type is \"reduce_on_plateau\", but there is nothing to "
                     "validate on",
                     "Keep some samples for validation, or choose another schedule.");
    if (spec.training.schedule.minLearningRate >= spec.training.learningRate)
        report.warning(
            scheduleKey("min_learning_rate"),
            fmt::format("training.schedule.min_learning_rate is {}, and "
                        "training.learning_rate is {}: it is never reduced",
                        spec.training.schedule.minLearningRate, spec.training.learningRate),
            "Use a smaller one.");
}

}  // namespace

void checkOptimizerOptions(const JobSpec& spec, Report& report) {
    const TrainingSpec& t = spec.training;
    for (const OptimizerOption& option : optimizerOptions(t)) {
        if (!option.isChanged || !report.isWritten(option.key)) continue;
        if (std::ranges::find(option.users, t.optimizer) != option.users.end()) continue;
        report.warning(option.key,
                       fmt::format("{} is given, but the optimizer is \"{}\", which ignores it",
                                   option.key, toString(t.optimizer)),
                       fmt::format("Remove it, or set training.optimizer to {}.", option.remedy));
    }
    if (t.optimizer == Kind::Sgd && t.nesterov && t.momentum == 0)
        report.warning("training.nesterov",
                       "training.nesterov is true, but training.momentum is 0: there is nothing to "
                       "look ahead with",
                       "Set training.momentum, for example to 0.9.");
}

void checkClipping(const JobSpec& spec, Report& report) {
    const TrainingSpec& t = spec.training;
    const std::pair<const char*, double> clips[] = {{"training.clipnorm", t.clipNorm},
                                                    {"training.clipvalue", t.clipValue},
                                                    {"training.global_clipnorm", t.globalClipNorm}};
    const char* first = nullptr;
    for (const auto& [key, value] : clips) {
        if (value == 0) continue;
        if (first != nullptr)
            report.error(key, fmt::format("{} and {} are given, but only one can hold", first, key),
                         "Remove one of them.");
        first = key;
    }
}

void checkSchedule(const JobSpec& spec, Report& report) {
    const ScheduleSpec& schedule = spec.training.schedule;
    checkForeignOptions(schedule, report);
    if (schedule.kind == ScheduleKind::Constant) return;
    if (schedule.kind == ScheduleKind::Piecewise) {
        checkPieces(schedule, report);
        return;
    }
    if (schedule.kind == ScheduleKind::ReduceOnPlateau) {
        checkPlateau(spec, report);
        return;
    }
    checkDecay(schedule, report);
    if (schedule.kind == ScheduleKind::Cosine) checkWarmUp(schedule, report);
}

}  // namespace lockstep::config
