// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "core/base/rng.h"
#include "core/tensor/cpu/layers/dropout.h"

namespace lockstep::testing {

namespace {

/// How far from a kink all numbers lie: beyond the error of a float32 sum of numbers near one.
constexpr double kKinkDistance = 5e-5;
/// Of outputs, relative to the largest or to one: float32 has 6e-8, sums of some hundred products
/// and a few dozen layers over one another lose two digits of it. Times what is magnified.
constexpr double kOutputBound = 2e-5;
/// Of a gradient along a direction, relative to the sum of the sizes of its terms: what the
/// differences' own error (below 1e-7) and float32 leave, with room for batches of two or three
/// numbers, whose normalisation cancels.
constexpr double kGradientBound = 1e-4;
/// The same, relative to the gradients of the whole network: for those that are zero but for
/// rounding, as of a bias before a normalisation. Times the magnification of that.
constexpr double kNetworkBound = 5e-6;

/// Roundings of parameters that those of all numbers behind them come to.
constexpr double kRoundings = 20;

constexpr float kGap = -7;

/// Which units are kept, asked for once.
class KeptUnits {
public:
    explicit KeptUnits(const ProgramCase& drawn)
        : seed_(drawn.runSeed), step_(drawn.step), firstPlace_(drawn.firstPlace) {}

    bool keeps(std::int64_t layer, float rate, std::int64_t row, std::int64_t unit) {
        std::vector<float>& kept = kept_[{layer, row}];
        const auto index = static_cast<std::size_t>(unit);
        if (index >= kept.size()) {
            kept.resize(std::max<std::size_t>(256, 2 * index));
            const std::vector<float> ones(kept.size(), 1.0F);
            tensor::dropoutUnits({.seed = seed_,
                                  .step = static_cast<std::uint64_t>(step_),
                                  .layer = static_cast<std::uint32_t>(layer),
                                  .rate = rate},
                                 static_cast<std::uint64_t>(firstPlace_ + row), 0, ones, kept);
        }
        return kept[index] != 0;
    }

private:
    std::uint64_t seed_;
    std::int64_t step_;
    std::int64_t firstPlace_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<float>> kept_;
};

/// The first number that is not within `bound`, relative to the largest that is expected or to 1.
std::string difference(const std::string& what, std::span<const float> found,
                       std::span<const double> expected, double bound) {
    if (found.size() != expected.size())
        return fmt::format("{}: {} numbers in the place of {}", what, found.size(),
                           expected.size());
    double size = 1;
    for (const double number : expected)
        size = std::max(size, std::abs(number));
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!(std::abs(static_cast<double>(found[i]) - expected[i]) <= bound * size))
            return fmt::format("{}: number {} is {}, by the reference {}", what, i, found[i],
                               expected[i]);
    return "";
}

std::string compareStatistics(const ProgramCase& drawn, const std::vector<float>& statistics,
                              const ReferenceGraph::Pass& expected) {
    std::string text;
    for (std::size_t i = 0; i < drawn.graph.tensors.size() && text.empty(); ++i) {
        const model::Tensor& tensor = drawn.graph.tensors[i];
        if (tensor.role != model::Tensor::Role::Statistic) continue;
        const auto found = exactly(drawn.graph, i, statistics);
        text = difference(tensor.name, std::vector<float>(found.begin(), found.end()),
                          expected.tensors[i], kOutputBound * expected.magnification);
    }
    return text;
}

/// NaN where a number is to be written, another number in the gaps.
std::vector<float> unwritten(const model::Graph& graph) {
    const auto layout = program::ParameterLayout::of(graph);
    std::vector<float> flat(layout.parameters, kGap);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i)
        if (graph.tensors[i].role == model::Tensor::Role::Parameter)
            std::fill_n(flat.begin() + static_cast<std::ptrdiff_t>(layout.offsets[i]),
                        graph.tensors[i].size(), std::nanf(""));
    return flat;
}

std::string checkGaps(const model::Graph& graph, std::vector<float> gradients) {
    const auto layout = program::ParameterLayout::of(graph);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i)
        if (graph.tensors[i].role == model::Tensor::Role::Parameter)
            std::fill_n(gradients.begin() + static_cast<std::ptrdiff_t>(layout.offsets[i]),
                        graph.tensors[i].size(), kGap);
    const bool isWhole = std::ranges::all_of(gradients, [](float g) { return g == kGap; });
    return isWhole ? "" : "a gap between two tensors' gradients was written";
}

/// Compares gradients with the slopes of the reference.
class GradientCheck {
public:
    GradientCheck(const ProgramCase& drawn, const std::vector<float>& gradients,
                  double magnification)
        : drawn_(drawn),
          reference_(drawn.reference(true)),
          rng_(drawn.runSeed, 3),
          networkBound_(kNetworkBound * magnification) {
        for (std::size_t i = 0; i < drawn.graph.tensors.size(); ++i) {
            const model::Tensor& tensor = drawn.graph.tensors[i];
            const bool isTrained =
                tensor.role == model::Tensor::Role::Parameter && tensor.isTrainable;
            gradients_.push_back(isTrained ? exactly(drawn.graph, i, gradients)
                                           : std::vector<double>());
            still_.emplace_back(static_cast<std::size_t>(tensor.size()));
            for (const double number : gradients_.back())
                all_ += std::abs(number);
        }
    }

    std::string check() {
        std::string text;
        for (std::size_t i = 0; i < gradients_.size() && text.empty(); ++i) {
            if (gradients_[i].empty()) continue;
            TensorValues direction = still_;
            for (double& number : direction[i])
                number = static_cast<double>(rng_.nextFloat(-1, 1));
            text = along(direction, i);
            if (!text.empty()) continue;
            direction = still_;
            direction[i][rng_.nextBelow(static_cast<std::uint32_t>(direction[i].size()))] = 1;
            text = along(direction, i);
        }
        return text;
    }

private:
    std::string along(const TensorValues& direction, std::size_t tensor) {
        const auto slope = reference_.slope(exactly(drawn_.graph, drawn_.values), direction,
                                            drawn_.samples, drawn_.rows, drawn_.coefficients);
        if (!slope) return "";  // drawCase() keeps away from kinks: a few in ten thousand
        double ours = 0;
        double terms = 0;
        for (std::size_t k = 0; k < direction[tensor].size(); ++k) {
            ours += direction[tensor][k] * gradients_[tensor][k];
            terms += std::abs(direction[tensor][k] * gradients_[tensor][k]);
        }
        const double bound = kGradientBound * terms + networkBound_ * (1 + all_);
        if (std::abs(ours - *slope) <= bound) return "";
        // A network may be worse conditioned than most: then its slope moves with the rounding of
        // its own numbers.
        if (std::abs(ours - *slope) <= kRoundings * spread(direction, *slope)) return "";
        return fmt::format("the gradient of {} along a direction is {}, by the reference {} ± {}",
                           drawn_.graph.tensors[tensor].name, ours, *slope, bound);
    }

    /// By how much the slope moves when each parameter does by its rounding.
    double spread(const TensorValues& direction, double slope) {
        double largest = 0;
        for (int i = 0; i < 4; ++i) {
            TensorValues tensors = exactly(drawn_.graph, drawn_.values);
            for (std::vector<double>& numbers : tensors)
                for (double& number : numbers)
                    number *= 1 + 6e-8 * static_cast<double>(rng_.nextFloat(-1, 1));
            const auto moved = reference_.slope(tensors, direction, drawn_.samples, drawn_.rows,
                                                drawn_.coefficients);
            if (moved) largest = std::max(largest, std::abs(*moved - slope));
        }
        return largest;
    }

    const ProgramCase& drawn_;
    ReferenceGraph reference_;
    CounterRng rng_;
    double networkBound_;
    TensorValues gradients_;  ///< Empty where a tensor has none.
    TensorValues still_;      ///< Zeros.
    double all_ = 0;          ///< The sum of their sizes.
};

}  // namespace

ReferenceGraph ProgramCase::reference(bool isTraining) const {
    auto kept = std::make_shared<KeptUnits>(*this);
    return {graph, isTraining,
            [kept](std::int64_t layer, float rate, std::int64_t row, std::int64_t unit) {
                return kept->keeps(layer, rate, row, unit);
            }};
}

std::optional<ProgramCase> drawCase(model::Graph graph, std::int64_t rows, std::uint64_t seed) {
    constexpr std::uint64_t kTries = 40;
    ProgramCase drawn{.graph = std::move(graph), .rows = rows};
    drawn.runSeed = seed;
    drawn.step = static_cast<std::int64_t>(seed % 7);
    drawn.firstPlace = static_cast<std::int64_t>(seed % 5);
    const std::int64_t outputs = rows * model::elementCount(drawn.graph.output());
    drawn.coefficients = drawNumbers(static_cast<std::size_t>(outputs), seed, 4);
    for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
        drawn.values = drawValues(drawn.graph, seed * kTries + attempt);
        drawn.samples = drawSamples(drawn.graph, rows, seed * kTries + attempt);
        bool isClear = true;
        for (const bool isTraining : {true, false})
            isClear =
                isClear && drawn.reference(isTraining)
                                   .run(exactly(drawn.graph, drawn.values), drawn.samples, rows)
                                   .kinkDistance > kKinkDistance;
        if (isClear) return drawn;
    }
    return std::nullopt;
}

std::string checkTraining(const ProgramCase& drawn, program::Executor& executor) {
    program::NoReplicaSum alone;
    const auto expected =
        drawn.reference(true).run(exactly(drawn.graph, drawn.values), drawn.samples, drawn.rows);
    std::vector<float> statistics = drawn.values.statistics;
    const auto output =
        executor.forward(drawn.batch(), drawn.values.parameters, statistics, alone).value();
    std::string text =
        difference("output", output, expected.output, kOutputBound * expected.magnification);
    if (text.empty()) text = compareStatistics(drawn, statistics, expected);
    if (!text.empty()) return text;
    std::ranges::copy(drawn.coefficients, executor.outputGradient().begin());
    std::vector<float> gradients = unwritten(drawn.graph);
    if (!executor.backward(drawn.values.parameters, gradients, alone, {})) return "backward fails";
    text = checkGaps(drawn.graph, gradients);
    return text.empty() ? GradientCheck(drawn, gradients, expected.magnification).check() : text;
}

std::string checkEvaluation(const ProgramCase& drawn, program::Executor& executor) {
    program::NoReplicaSum alone;
    const auto expected =
        drawn.reference(false).run(exactly(drawn.graph, drawn.values), drawn.samples, drawn.rows);
    std::vector<float> statistics = drawn.values.statistics;
    const auto output =
        executor.forward(drawn.batch(), drawn.values.parameters, statistics, alone).value();
    if (statistics != drawn.values.statistics) return "evaluation has changed the statistics";
    return difference("output", output, expected.output, kOutputBound * expected.magnification);
}

}  // namespace lockstep::testing
