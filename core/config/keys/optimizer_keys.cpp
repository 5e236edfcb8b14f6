// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/optimizer_keys.h"

#include <fmt/format.h>

namespace lockstep::config {

namespace {

using Spec = JobSpec;

constexpr Range kRate{0, 1e6, false, false};

/// A member of [training.schedule].
template <auto Member>
constexpr auto scheduled = at<&JobSpec::training, &TrainingSpec::schedule, Member>;

/// A number that may be left open.
template <typename Member>
Key<Spec> openNumberKey(Member member, Range range) {
    Key<Spec> key = numberKey<Spec>(
        [](auto& spec) -> auto& { return spec.training.learningRate; }, range);
    const KeyHelp help = key.help;
    key.read = [member, help](const TomlValue& value, Spec& spec) {
        Problems problems = checkScalar(value, help);
        if (problems.empty()) member(spec) = value.number;
        return problems;
    };
    key.write = [member](const Spec& spec) {
        return member(spec) ? tomlNumber(*member(spec)) : std::string();
    };
    return key;
}

/// An array of numbers from 0; empty: left open.
template <typename Member>
Key<Spec> numbersKey(Member member) {
    Key<Spec> key;
    key.help.kind = ValueKind::NumberList;
    key.help.minimum = 0;
    const KeyHelp help = key.help;
    key.read = [member, help](const TomlValue& value, Spec& spec) -> Problems {
        using Kind = TomlValue::Kind;
        std::vector<double> numbers;
        for (const TomlValue& element : value.elements)
            if ((element.kind == Kind::Integer || element.kind == Kind::Float) &&
                element.number >= 0 && element.number <= 1e15)
                numbers.push_back(element.number);
        if (value.kind != Kind::Array || numbers.size() != value.elements.size())
            return {{placeOf(value),
                     {},
                     fmt::format("is {}, but must be {}", shownValue(value), expectation(help)),
                     {}}};
        member(spec) = std::move(numbers);
        return {};
    };
    key.write = [member](const Spec& spec) {
        std::string text;
        for (const double number : member(spec))
            text += (text.empty() ? "" : ", ") + tomlNumber(number);
        return text.empty() ? std::string() : "[" + text + "]";
    };
    return key;
}

std::vector<Key<Spec>> decayAndClippingKeys() {
    return {
        named("training.weight_decay", "",
              "Of every weight, this share times the learning rate goes before each update, as "
              "Keras decays; adamw's default is 0.004.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::weightDecay>,
                              {0, 1e6, false, false})),
        named("training.weight_decay_on", "",
              "What decays: all weights, as in Keras, or matrices alone: tensors of two dimensions "
              "or more, so neither biases nor normalisations.",
              wordKey<Spec>(at<&Spec::training, &TrainingSpec::weightDecayOn>,
                            {{"all", DecayOn::All}, {"matrices", DecayOn::Matrices}})),
        named(
            "training.clipnorm", "",
            "The gradient of each tensor is shortened to this norm; 0: it is not.",
            numberKey<Spec>(at<&Spec::training, &TrainingSpec::clipNorm>, {0, 1e9, false, false})),
        named(
            "training.clipvalue", "",
            "Each number of the gradient is brought within plus and minus this; 0: it is not.",
            numberKey<Spec>(at<&Spec::training, &TrainingSpec::clipValue>, {0, 1e9, false, false})),
        named("training.global_clipnorm", "",
              "All gradients together are shortened to this norm; 0: they are not. Norms wait for "
              "the whole backward pass, so no update overlaps with a sum.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::globalClipNorm>,
                              {0, 1e9, false, false})),
    };
}

}  // namespace

std::vector<Key<JobSpec>> optimizerKeys() {
    std::vector<Key<Spec>> keys = {
        named("training.optimizer", "", "The update rule, as Keras defines it.",
              wordKey<Spec>(at<&Spec::training, &TrainingSpec::optimizer>,
                            {{"sgd", OptimizerKind::Sgd},
                             {"adam", OptimizerKind::Adam},
                             {"adamw", OptimizerKind::AdamW},
                             {"rmsprop", OptimizerKind::RmsProp},
                             {"lion", OptimizerKind::Lion}})),
        named("training.learning_rate", "", "The size of an update.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::learningRate>,
                              {0, 1e6, true, false})),
        named("training.momentum", "",
              "Of sgd and rmsprop: the share of the last update that goes on.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::momentum>, {0, 1, false, true})),
        named("training.nesterov", "", "Of sgd with momentum: looks ahead, as Nesterov does.",
              flagKey<Spec>(at<&Spec::training, &TrainingSpec::nesterov>)),
        named("training.beta_1", "", "Of adam, adamw and lion: decay of the gradients' mean.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::beta1>, {0, 1, false, true})),
        named("training.beta_2", "",
              "Of adam and adamw: decay of the gradients' squares; of lion: of the mean that is "
              "kept, by default 0.99.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::beta2>, {0, 1, false, true})),
        named("training.epsilon", "",
              "Of adam, adamw and rmsprop: keeps the division away from zero.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::epsilon>, {0, 1, true, false})),
        named("training.rho", "", "Of rmsprop: decay of the gradients' squares.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::rho>, {0, 1, false, true})),
    };
    for (Key<Spec>& key : decayAndClippingKeys())
        keys.push_back(std::move(key));
    return keys;
}

std::vector<Key<JobSpec>> scheduleKeys() {
    using S = ScheduleSpec;
    return {
        named("training.schedule.type", "",
              "How the learning rate goes on with the steps, as Keras' schedule of that name does; "
              "reduce_on_plateau as its callback: by the validation loss, at the end of epochs.",
              wordKey<Spec>(scheduled<&S::kind>,
                            {{"constant", ScheduleKind::Constant},
                             {"cosine_decay", ScheduleKind::Cosine},
                             {"exponential_decay", ScheduleKind::Exponential},
                             {"piecewise_constant_decay", ScheduleKind::Piecewise},
                             {"polynomial_decay", ScheduleKind::Polynomial},
                             {"reduce_on_plateau", ScheduleKind::ReduceOnPlateau}})),
        named("training.schedule.initial_learning_rate", "",
              "The first step's rate; left out, it is training.learning_rate.",
              openNumberKey(scheduled<&S::initialLearningRate>, kRate)),
        named("training.schedule.decay_steps", "steps",
              "How long the decay takes, behind the warm-up; 0: given in epochs.",
              integerKey<Spec>(scheduled<&S::decaySteps>, {0, 1e12})),
        named("training.schedule.decay_epochs", "epochs", "The same in epochs; 0: in steps.",
              numberKey<Spec>(scheduled<&S::decayEpochs>, kRate)),
        named("training.schedule.alpha", "",
              "Of cosine_decay: the share of the rate that is left in the end.",
              numberKey<Spec>(scheduled<&S::alpha>, {0, 1, false, false})),
        named("training.schedule.warmup_target", "",
              "Of cosine_decay: the rate grows to this first; left out, there is no warm-up.",
              openNumberKey(scheduled<&S::warmupTarget>, kRate)),
        named("training.schedule.warmup_steps", "steps",
              "Of cosine_decay: how long it grows; 0: given in epochs.",
              integerKey<Spec>(scheduled<&S::warmupSteps>, {0, 1e12})),
        named("training.schedule.warmup_epochs", "epochs", "The same in epochs; 0: in steps.",
              numberKey<Spec>(scheduled<&S::warmupEpochs>, kRate)),
        named("training.schedule.decay_rate", "",
              "Of exponential_decay: what the rate is multiplied with each decay_steps.",
              numberKey<Spec>(scheduled<&S::decayRate>, {0, 1, true, false})),
        named("training.schedule.staircase", "",
              "Of exponential_decay: all at once at the end of each decay_steps.",
              flagKey<Spec>(scheduled<&S::staircase>)),
        named("training.schedule.boundaries", "steps",
              "Of piecewise_constant_decay: the last steps of each rate but the last.",
              numbersKey(scheduled<&S::boundaries>)),
        named("training.schedule.values", "",
              "Of piecewise_constant_decay: the rates, one more than boundaries.",
              numbersKey(scheduled<&S::values>)),
        named("training.schedule.end_learning_rate", "", "Of polynomial_decay: the last rate.",
              numberKey<Spec>(scheduled<&S::endLearningRate>, kRate)),
        named("training.schedule.power", "", "Of polynomial_decay: 1 is a straight line.",
              numberKey<Spec>(scheduled<&S::power>, {0, 100, true, false})),
        named("training.schedule.cycle", "",
              "Of polynomial_decay: begins anew, lower and longer, behind decay_steps.",
              flagKey<Spec>(scheduled<&S::cycle>)),
    };
}

std::vector<Key<JobSpec>> plateauKeys() {
    using S = ScheduleSpec;
    return {
        named("training.schedule.factor", "",
              "Of reduce_on_plateau: what the rate is multiplied with.",
              numberKey<Spec>(scheduled<&S::factor>, {0, 1, true, true})),
        named("training.schedule.patience", "epochs",
              "Of reduce_on_plateau: after so many in a row without a better validation loss.",
              integerKey<Spec>(scheduled<&S::patience>, {0, 1'000'000})),
        named("training.schedule.min_delta", "",
              "Of reduce_on_plateau: better means better by more than this.",
              numberKey<Spec>(scheduled<&S::minDelta>, kRate)),
        named("training.schedule.cooldown", "epochs",
              "Of reduce_on_plateau: so many are not counted behind a reduction.",
              integerKey<Spec>(scheduled<&S::cooldown>, {0, 1'000'000})),
        named("training.schedule.min_learning_rate", "",
              "Of reduce_on_plateau: it does not become smaller.",
              numberKey<Spec>(scheduled<&S::minLearningRate>, kRate)),
    };
}

std::string_view toString(OptimizerKind kind) {
    switch (kind) {
        case OptimizerKind::Sgd:
            return "sgd";
        case OptimizerKind::Adam:
            return "adam";
        case OptimizerKind::AdamW:
            return "adamw";
        case OptimizerKind::RmsProp:
            return "rmsprop";
        case OptimizerKind::Lion:
            break;
    }
    return "lion";
}

std::string_view toString(ScheduleKind kind) {
    switch (kind) {
        case ScheduleKind::Constant:
            return "constant";
        case ScheduleKind::Cosine:
            return "cosine_decay";
        case ScheduleKind::Exponential:
            return "exponential_decay";
        case ScheduleKind::Piecewise:
            return "piecewise_constant_decay";
        case ScheduleKind::Polynomial:
            return "polynomial_decay";
        case ScheduleKind::ReduceOnPlateau:
            break;
    }
    return "reduce_on_plateau";
}

}  // namespace lockstep::config
