// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/evaluation_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/base/clock.h"
#include "core/base/try.h"
#include "core/data/sample_preview.h"
#include "core/data/text/tokenizer.h"
#include "core/text/json.h"

namespace lockstep::train {

namespace {

using Prediction = SplitEvaluator::Prediction;

/// What was predicted of samples of classes that count: those of an ignored class are none.
struct Predictions {
    std::vector<std::uint32_t> indices;  ///< In the split, in order.
    std::vector<Prediction> of;          ///< As many.
};

constexpr std::size_t kMostMatrixClasses = 256;  // a cell for each pair, in 256 KiB
constexpr std::size_t kMostCells = 12'000;
constexpr std::size_t kMostNamedClasses = 4096;  // whose accuracy is told one by one
constexpr std::size_t kMostValues = 512;
constexpr std::size_t kMostTargets = 16;
constexpr int kWrittenTokens = 200;
constexpr double kTemperature = 0.8;
constexpr double kQuantiles[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};

void addSample(wire::Evaluation& evaluation, const data::Split& split, std::uint32_t index,
               const Prediction& prediction) {
    wire::SamplePrediction& sample = *evaluation.add_samples();
    sample.set_index(index);
    sample.set_truth(split.label(index));
    sample.set_prediction(static_cast<std::uint32_t>(prediction.predicted));
    sample.set_probability(prediction.probability);
    sample.set_truth_probability(prediction.truthProbability);
    if (split.inputKind != data::InputKind::Pixels) return;
    const auto preview = data::previewOf(split, index);
    sample.set_pixels(preview.data(), preview.size());
}

/// NaN of a class without samples.
void addAccuracies(wire::Evaluation& evaluation, const data::Split& split, const Predictions& all,
                   std::size_t classes) {
    if (classes > kMostNamedClasses) return;
    std::vector<std::uint32_t> counts(classes);
    std::vector<std::uint32_t> hits(classes);
    for (std::size_t i = 0; i < all.of.size(); ++i) {
        const std::uint16_t truth = split.label(all.indices[i]);
        ++counts[truth];
        if (all.of[i].predicted == truth) ++hits[truth];
    }
    for (std::size_t c = 0; c < classes; ++c)
        evaluation.add_per_class_accuracy(counts[c] > 0 ? static_cast<float>(hits[c]) /
                                                              static_cast<float>(counts[c])
                                                        : std::numeric_limits<float>::quiet_NaN());
}

/// The matrix of few classes.
void addMatrix(wire::Evaluation& evaluation, const data::Split& split, const Predictions& all,
               std::size_t classes) {
    std::vector<std::uint32_t> confusion(classes * classes);
    for (std::size_t i = 0; i < all.of.size(); ++i)
        ++confusion[split.label(all.indices[i]) * classes +
                    static_cast<std::size_t>(all.of[i].predicted)];
    evaluation.mutable_confusion()->Add(confusion.begin(), confusion.end());
}

/// Of many classes the cells that are not empty, the fullest first, as many as a record holds.
void addCells(wire::Evaluation& evaluation, const data::Split& split, const Predictions& all) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts;
    for (std::size_t i = 0; i < all.of.size(); ++i)
        ++counts[{split.label(all.indices[i]), static_cast<std::uint32_t>(all.of[i].predicted)}];
    std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>> cells(
        counts.begin(), counts.end());
    std::ranges::stable_sort(cells,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    wire::ConfusionCells& told = *evaluation.mutable_cells();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i >= kMostCells) {
            told.set_samples_left_out(told.samples_left_out() + cells[i].second);
            continue;
        }
        told.add_truth(cells[i].first.first);
        told.add_prediction(cells[i].first.second);
        told.add_count(cells[i].second);
    }
}

/// Two thirds the hardest (the smallest probability of the truth first), the rest spread evenly:
/// places in `predictions`.
std::vector<std::size_t> chooseSamples(std::span<const Prediction> predictions,
                                       std::size_t wanted) {
    wanted = std::min(wanted, predictions.size());
    const std::size_t spread = wanted / 3;
    std::vector<std::size_t> order(predictions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto certainty = [predictions](std::size_t i) {
        const float probability = predictions[i].truthProbability;
        return std::isnan(probability) ? -1.0F : probability;
    };
    const auto harder = [&](std::size_t a, std::size_t b) {
        const float pa = certainty(a);
        const float pb = certainty(b);
        return pa != pb ? pa < pb : a < b;
    };
    const auto hardest = static_cast<std::ptrdiff_t>(wanted - spread);
    std::partial_sort(order.begin(), order.begin() + hardest, order.end(), harder);
    std::vector<std::size_t> chosen(order.begin(), order.begin() + hardest);
    for (std::size_t i = 0; i < spread; ++i)
        chosen.push_back(i * predictions.size() / spread);
    return chosen;
}

Result<void> addClasses(SplitEvaluator& evaluator, const Weights& weights, const data::Split& split,
                        std::size_t samples, wire::Evaluation& evaluation) {
    const auto classes = static_cast<std::size_t>(evaluator.objective().task().classes);
    const int ignored = evaluator.objective().ignoredClass();
    Predictions all;
    TRY(evaluator.forEachBatch(
        weights, split, 0, split.count, nullptr, [&](const SplitEvaluator::Computed& batch) {
            const std::size_t columns = batch.outputs.size() / batch.rows;
            for (std::uint32_t row = 0; row < batch.rows; ++row) {
                const std::int32_t truth = batch.targets.labels[row];
                if (truth == ignored) continue;
                all.indices.push_back(batch.first + row);
                all.of.push_back(
                    evaluator.predictionOf(batch.outputs.subspan(row * columns, columns), truth));
            }
        }));
    addAccuracies(evaluation, split, all, classes);
    evaluation.set_classes(static_cast<std::uint32_t>(classes));
    if (classes <= kMostMatrixClasses)
        addMatrix(evaluation, split, all, classes);
    else
        addCells(evaluation, split, all);
    for (const std::size_t place : chooseSamples(all.of, samples))
        addSample(evaluation, split, all.indices[place], all.of[place]);
    return {};
}

/// What was predicted, and the truth, of all samples: row by row, a column a target that is told.
struct Predicted {
    std::size_t targets = 1;
    std::vector<float> values{};
    std::vector<float> truths{};

    /// The first columns of rows of `columns`, in the targets' own unit.
    void add(std::span<const float> from, std::size_t columns, float unit,
             std::vector<float>& to) const {
        for (std::size_t row = 0; row < from.size(); row += columns)
            for (const float value : from.subspan(row, targets))
                to.push_back(value * unit);
    }
};

/// Of the columns from `first` on, which are not told: how many errors are no finite number.
std::size_t notFiniteBehind(std::size_t first, std::span<const float> answers,
                            std::span<const float> truths, std::size_t columns) {
    std::size_t count = 0;
    for (std::size_t row = 0; row < answers.size(); row += columns)
        for (std::size_t i = row + first; i < row + columns; ++i)
            count += std::isfinite(answers[i] - truths[i]) ? 0 : 1;
    return count;
}

/// Of what is finite; `leftOut` counts the others.
wire::Residuals residualsOf(const Predicted& all, std::size_t target, std::size_t& leftOut) {
    std::vector<double> errors;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = target; i < all.values.size(); i += all.targets) {
        const double error =
            static_cast<double>(all.values[i]) - static_cast<double>(all.truths[i]);
        if (!std::isfinite(error)) {
            ++leftOut;
            continue;
        }
        errors.push_back(error);
        sum += error;
        squares += error * error;
    }
    wire::Residuals residuals;
    const auto count = static_cast<double>(errors.size());
    residuals.set_mean(sum / count);
    residuals.set_deviation(
        std::sqrt(std::max(squares / count - sum / count * (sum / count), 0.0)));
    if (errors.empty()) return residuals;
    std::ranges::sort(errors);
    for (const double part : kQuantiles) {
        const double place = part * (count - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, errors.size() - 1);
        residuals.add_quantiles(errors[below] + (place - static_cast<double>(below)) *
                                                    (errors[above] - errors[below]));
    }
    return residuals;
}

/// Answers of yes or no, and shares of classes, are told as probabilities.
std::vector<float> answersOf(std::span<const float> outputs, std::size_t columns,
                             config::Task::Output kind) {
    std::vector<float> answers(outputs.begin(), outputs.end());
    if (kind == config::Task::Output::BinaryLogits)
        for (float& value : answers)
            value = 1 / (1 + std::exp(-value));
    if (kind == config::Task::Output::Logits)
        for (std::size_t row = 0; row < answers.size(); row += columns) {
            const auto one = std::span(answers).subspan(row, columns);
            const float largest = *std::ranges::max_element(one);
            float sum = 0;
            for (float& value : one)
                sum += value = std::exp(value - largest);
            for (float& value : one)
                value /= sum;
        }
    return answers;
}

Result<void> addValues(SplitEvaluator& evaluator, const Weights& weights, const data::Dataset& data,
                       const data::Split& split, wire::Evaluation& evaluation) {
    const config::Task& task = evaluator.objective().task();
    const auto targets = static_cast<std::size_t>(task.classes);
    const bool isScaled = task.output == config::Task::Output::Numbers;
    const auto unit = isScaled ? static_cast<float>(1 / data.targetScale) : 1.0F;
    const std::size_t told = std::min(targets, kMostTargets);
    Predicted all{.targets = told};
    std::size_t notFinite = 0;
    TRY(evaluator.forEachBatch(
        weights, split, 0, split.count, nullptr, [&](const SplitEvaluator::Computed& batch) {
            const auto answers = answersOf(batch.outputs, targets, task.output);
            all.add(answers, targets, unit, all.values);
            all.add(batch.targets.values, targets, unit, all.truths);
            notFinite += notFiniteBehind(told, answers, batch.targets.values, targets);
        }));
    const std::size_t shown = std::min<std::size_t>(split.count, kMostValues / told);
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t index = i * split.count / shown;
        wire::ValuePrediction& value = *evaluation.add_values();
        value.set_index(static_cast<std::uint32_t>(index));
        for (std::size_t target = 0; target < told; ++target) {
            value.add_truth(all.truths[index * told + target]);
            value.add_prediction(all.values[index * told + target]);
        }
    }
    for (std::size_t target = 0; target < told; ++target) {
        evaluation.add_target_names(target < data.targetNames.size() ? data.targetNames[target]
                                                                     : std::string());
        *evaluation.add_residuals() = residualsOf(all, target, notFinite);
    }
    if (notFinite > 0) {
        wire::NamedFigure& figure = *evaluation.add_figures();
        figure.set_name(std::string(kNotFiniteFigure));
        figure.set_value(static_cast<double>(notFinite));
    }
    evaluation.set_targets_left_out(static_cast<std::uint32_t>(targets - told));
    return {};
}

/// The split's first half window, and what the network writes behind it.
Result<void> addText(SplitEvaluator& evaluator, const Weights& weights, const data::Dataset& data,
                     const data::Split& split, wire::Evaluation& evaluation) {
    const auto json = text::parseJson(data.preparation, data.preparation.size());
    if (!json) return {};  // tokens without a text
    const auto tokenizer = TRY(data::tokenizerOf(*json));
    const std::size_t positions = split.features();
    std::vector<std::uint16_t> tokens(std::max<std::size_t>(positions / 2, 1));
    const auto first = split.input(0).first(tokens.size() * sizeof(std::uint16_t));
    std::ranges::copy(first, reinterpret_cast<std::uint8_t*>(tokens.data()));
    const auto written = TRY(evaluator.continueText(
        weights, tokens, {.tokens = kWrittenTokens, .temperature = kTemperature, .seed = 0}));
    wire::GeneratedText& text = *evaluation.add_texts();
    text.set_prompt(tokenizer->decode(tokens));
    text.set_continuation(data::continuationText(*tokenizer, tokens, written));
    text.set_temperature(kTemperature);
    return {};
}

}  // namespace

Result<wire::Evaluation> evaluateSplit(SplitEvaluator& evaluator, const Weights& weights,
                                       const data::Dataset& data, const data::Split& split,
                                       std::size_t samples) {
    const Nanos start = SteadyClock::read();
    const auto total = TRY(evaluator.score(weights, split, 0, split.count));
    wire::Evaluation evaluation;
    evaluation.set_loss(total.loss());
    evaluation.set_accuracy(total.accuracy());
    for (const Figure& figure : evaluator.objective().metrics().figures(total)) {
        wire::NamedFigure& named = *evaluation.add_figures();
        named.set_name(figure.name);
        named.set_value(figure.value);
    }
    if (split.targetKind == data::TargetKind::Class)
        TRY(addClasses(evaluator, weights, split, samples, evaluation));
    else if (split.targetKind == data::TargetKind::Values && split.count > 0)
        TRY(addValues(evaluator, weights, data, split, evaluation));
    else if (split.count > 0)
        TRY(addText(evaluator, weights, data, split, evaluation));
    evaluation.set_seconds(std::chrono::duration<double>(SteadyClock::read() - start).count());
    return evaluation;
}

}  // namespace lockstep::train
