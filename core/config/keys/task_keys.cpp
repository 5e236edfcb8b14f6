// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/task_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/config/job/metric.h"

namespace lockstep::config {

namespace {

using Spec = JobSpec;

constexpr double kLargestWeight = 1e9;

/// A member of LossSpec.
template <auto Member>
constexpr auto ofLoss = at<&JobSpec::training, &TrainingSpec::loss, Member>;

std::string notWeights(const TomlValue& value) {
    return fmt::format(
        "is {}, but must be \"balanced\" or an array of numbers from 0, one for "
        "each class",
        shownValue(value));
}

Problems readWeights(const TomlValue& value, LossSpec& loss) {
    using Kind = TomlValue::Kind;
    if (value.kind == Kind::String && value.text == "balanced") {
        loss.balancedClassWeights = true;
        loss.classWeights.clear();
        return {};
    }
    std::vector<double> weights;
    for (const TomlValue& element : value.elements)
        if ((element.kind == Kind::Integer || element.kind == Kind::Float) && element.number >= 0 &&
            element.number <= kLargestWeight)
            weights.push_back(element.number);
    if (value.kind != Kind::Array || weights.size() != value.elements.size())
        return {{placeOf(value), {}, notWeights(value), {}}};
    loss.balancedClassWeights = false;
    loss.classWeights = std::move(weights);
    return {};
}

Key<Spec> classWeightsKey() {
    Key<Spec> key;
    key.help.kind = ValueKind::NumberList;
    key.help.minimum = 0;
    key.read = [](const TomlValue& value, Spec& spec) {
        return readWeights(value, spec.training.loss);
    };
    key.write = [](const Spec& spec) -> std::string {
        const LossSpec& loss = spec.training.loss;
        if (loss.balancedClassWeights) return "\"balanced\"";
        std::string text;
        for (const double weight : loss.classWeights)
            text += (text.empty() ? "" : ", ") + tomlNumber(weight);
        return text.empty() ? std::string() : "[" + text + "]";
    };
    return key;
}

Key<Spec> metricsKey() {
    Key<Spec> key = textListKey<Spec>(at<&Spec::training, &TrainingSpec::metrics>);
    const auto read = key.read;
    key.read = [read](const TomlValue& value, Spec& spec) {
        Spec written;
        Problems problems = read(value, written);
        std::vector<std::pair<std::string, const TomlValue*>> items;
        if (problems.empty()) problems = readTextItems(value, items);
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto isSame = [&](const auto& item) { return item.first == items[i].first; };
            if (std::any_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(i), isSame))
                problems.push_back(
                    {placeOf(*items[i].second), fmt::format("[{}]", i),
                     fmt::format("is \"{}\" once more", sanitizeLine(items[i].first, 60)),
                     "Remove it."});
            if (!parseMetric(items[i].first))
                problems.push_back({placeOf(*items[i].second), fmt::format("[{}]", i),
                                    fmt::format("is \"{}\", but there is no such metric{}",
                                                sanitizeLine(items[i].first, 60),
                                                didYouMean(items[i].first, metricNames())),
                                    "There are " + joinWords(metricNames()) + "."});
        }
        if (problems.empty()) spec.training.metrics = std::move(written.training.metrics);
        return problems;
    };
    return key;
}

}  // namespace

std::vector<Key<JobSpec>> taskKeys() {
    using L = LossSpec;
    return {
        named("training.loss", "",
              "What is made small, as Keras defines it; auto: the cross-entropy of classes and "
              "tokens, the mean squared error of numbers. Cross-entropies take the numbers before "
              "softmax or sigmoid.",
              wordKey<Spec>(
                  ofLoss<&L::kind>,
                  {{"auto", LossKind::Auto},
                   {"sparse_categorical_crossentropy", LossKind::SparseCategoricalCrossEntropy},
                   {"categorical_crossentropy", LossKind::CategoricalCrossEntropy},
                   {"binary_crossentropy", LossKind::BinaryCrossEntropy},
                   {"mean_squared_error", LossKind::MeanSquaredError},
                   {"mean_absolute_error", LossKind::MeanAbsoluteError},
                   {"huber", LossKind::Huber}})),
        named("training.label_smoothing", "",
              "Of cross-entropies: this share of each target goes to all classes alike.",
              numberKey<Spec>(ofLoss<&L::labelSmoothing>, {0, 1, false, true})),
        named("training.ignored_class", "",
              "Samples, or positions of text, of this class or token do not count, counted from 0; "
              "-1: all count.",
              integerKey<Spec>(ofLoss<&L::ignoredClass>, {-1, 65'535})),
        named("training.huber_delta", "",
              "Of huber: errors above it count as they are, smaller ones by their square.",
              numberKey<Spec>(ofLoss<&L::huberDelta>, {0, 1e9, true, false})),
        named("training.class_weights", "",
              "What the loss of a sample is multiplied with while training, a number for each "
              "class; \"balanced\": classes of fewer samples count as much as the others.",
              classWeightsKey()),
        named("training.metrics", "",
              "What is measured besides the loss: accuracy, top_5_accuracy (or any number), "
              "binary_accuracy, auc, precision, recall, mean_absolute_error, "
              "root_mean_squared_error, perplexity; none: what fits the loss.",
              metricsKey()),
    };
}

}  // namespace lockstep::config
