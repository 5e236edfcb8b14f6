// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/job_editor.h"
#include "ui/pages/job/job_cards.h"
#include "ui/pages/job/key_fields.h"
#include "ui/widgets/card.h"

namespace lockstep::ui {
namespace {

using config::JobSpec;
using config::LossKind;
using config::OptimizerKind;
using config::ScheduleKind;

/// Where the optimizer is one of these.
JobField::Fits of(std::initializer_list<OptimizerKind> kinds) {
    return [all = std::vector<OptimizerKind>(kinds)](const JobSpec& spec) {
        return std::ranges::find(all, spec.training.optimizer) != all.end();
    };
}

JobField::Fits scheduled(std::initializer_list<ScheduleKind> kinds) {
    return [all = std::vector<ScheduleKind>(kinds)](const JobSpec& spec) {
        return std::ranges::find(all, spec.training.schedule.kind) != all.end();
    };
}

JobField::Fits warmsUp() {
    return [](const JobSpec& spec) {
        return spec.training.schedule.kind == ScheduleKind::Cosine &&
               spec.training.schedule.warmupTarget.has_value();
    };
}

/// Where the loss is one of these; auto becomes one of them when the data are known.
JobField::Fits lossIs(std::initializer_list<LossKind> kinds) {
    return [all = std::vector<LossKind>(kinds)](const JobSpec& spec) {
        return std::ranges::find(all, spec.training.loss.kind) != all.end();
    };
}

std::vector<KeyField> lossFields() {
    using enum LossKind;
    return {
        {"training.loss", "loss"},
        {"training.label_smoothing", "labelSmoothing",
         lossIs({Auto, SparseCategoricalCrossEntropy, CategoricalCrossEntropy, BinaryCrossEntropy}),
         "0"},
        {"training.ignored_class", "ignoredClass", lossIs({Auto, SparseCategoricalCrossEntropy}),
         "-1"},
        {"training.class_weights", "classWeights",
         lossIs({Auto, SparseCategoricalCrossEntropy, CategoricalCrossEntropy})},
        {"training.huber_delta", "huberDelta", lossIs({Huber})},
        {"training.metrics", "metrics"},
    };
}

std::vector<KeyField> updateFields() {
    using enum OptimizerKind;
    return {
        {"training.momentum", "momentum", of({Sgd, RmsProp})},
        {"training.nesterov", "nesterov",
         [](const JobSpec& spec) {
             return spec.training.optimizer == Sgd && spec.training.momentum > 0;
         }},
        {"training.beta_1", "beta1", of({Adam, AdamW, Lion})},
        {"training.beta_2", "beta2", of({Adam, AdamW, Lion})},
        {"training.rho", "rho", of({RmsProp})},
        {"training.epsilon", "epsilon", of({Adam, AdamW, RmsProp})},
        {"training.weight_decay", "weightDecay", {}, "0"},
        {"training.weight_decay_on", "weightDecayOn",
         [](const JobSpec& spec) { return spec.training.weightDecay > 0; }},
        {"training.clipnorm", "clipnorm", {}, "0"},
        {"training.clipvalue", "clipvalue", {}, "0"},
        {"training.global_clipnorm", "globalClipnorm", {}, "0"},
        {"training.use_ema", "useEma"},
        {"training.ema_momentum", "emaMomentum",
         [](const JobSpec& spec) { return spec.training.average.isUsed; }},
    };
}

std::vector<KeyField> scheduleFields() {
    using enum ScheduleKind;
    return {
        {"training.schedule.type", "scheduleType"},
        {"training.schedule.initial_learning_rate", "initialRate",
         scheduled({Cosine, Exponential, Polynomial})},
        {"training.schedule.decay_steps", "decaySteps",
         scheduled({Cosine, Exponential, Polynomial}), "0"},
        {"training.schedule.decay_epochs", "decayEpochs",
         scheduled({Cosine, Exponential, Polynomial}), "0"},
        {"training.schedule.alpha", "alpha", scheduled({Cosine})},
        {"training.schedule.warmup_target", "warmupTarget", scheduled({Cosine})},
        {"training.schedule.warmup_steps", "warmupSteps", warmsUp(), "0"},
        {"training.schedule.warmup_epochs", "warmupEpochs", warmsUp(), "0"},
        {"training.schedule.decay_rate", "decayRate", scheduled({Exponential})},
        {"training.schedule.staircase", "staircase", scheduled({Exponential})},
        {"training.schedule.boundaries", "boundaries", scheduled({Piecewise})},
        {"training.schedule.values", "rates", scheduled({Piecewise})},
        {"training.schedule.end_learning_rate", "endRate", scheduled({Polynomial})},
        {"training.schedule.power", "power", scheduled({Polynomial})},
        {"training.schedule.cycle", "cycle", scheduled({Polynomial})},
        {"training.schedule.factor", "plateauFactor", scheduled({ReduceOnPlateau})},
        {"training.schedule.patience", "plateauPatience", scheduled({ReduceOnPlateau})},
        {"training.schedule.min_delta", "plateauDelta", scheduled({ReduceOnPlateau})},
        {"training.schedule.cooldown", "plateauCooldown", scheduled({ReduceOnPlateau})},
        {"training.schedule.min_learning_rate", "leastRate", scheduled({ReduceOnPlateau})},
    };
}

}  // namespace

QWidget* buildTrainingCard(JobEditor& editor, QWidget* parent) {
    auto* card = new Card(JobEditor::tr("Training"), parent);
    addKeyFields(
        card->body(), editor,
        {{"training.global_batch_size", "globalBatchSize"},
         {"training.gradient_accumulation_steps", "accumulation", {}, "1"},
         {"training.epochs", "epochs",
          [](const JobSpec& spec) { return spec.training.steps == 0; }},
         {"training.steps", "trainingSteps", {}, "0"},
         {"training.evaluate_every_steps", "evaluateEverySteps", {}, "0"},
         {"training.optimizer", "optimizer"},
         {"training.learning_rate", "learningRate"},
         {"training.precision", "precision",
          // CPUs take float32.
          [](const JobSpec& spec) { return spec.cluster.device != config::DeviceKind::Cpu; }},
         {"training.tune", "tune",
          // GPUs take a library's choice.
          [](const JobSpec& spec) { return spec.cluster.device != config::DeviceKind::Gpu; }},
         {"training.seed", "seed"},
         {"training.terminate_on_nan", "terminateOnNan"},
         {"training.identity_every_steps", "identityEverySteps", {}, "100"}});
    addKeyFields(card->body(), editor, lossFields());
    addKeyFields(card->body(), editor, updateFields());
    addKeyFields(card->body(), editor, scheduleFields());
    return card;
}

}  // namespace lockstep::ui
