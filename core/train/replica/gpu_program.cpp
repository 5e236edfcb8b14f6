// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/gpu_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <variant>
#include <vector>

#include "core/config/job/task.h"
#include "core/data/raw_sets.h"
#include "core/program/compile.h"

namespace lockstep::train {

namespace {

/// Samples that are scored at a time, at most.
constexpr std::int64_t kMostScored = 2048;

/// LOCKSTEP_CUDA_GRAPHS=0: launch by launch, to look for a defect or to compare.
bool wantsGraphs() {
    const char* wanted = std::getenv("LOCKSTEP_CUDA_GRAPHS");
    return wanted == nullptr || std::strcmp(wanted, "0") != 0;
}

/// What of the data the engine does not take. Empty: it takes all.
std::string foreignData(const data::Dataset& data) {
    const data::Split& train = *data.train;
    if (train.inputKind == data::InputKind::Floats) return "the data are rows of numbers";
    if (train.inputKind == data::InputKind::Tokens) return "the data are text";
    if (train.targetKind != data::TargetKind::Class) return "targets are not classes";
    if (!data.augment.empty()) return "images are augmented";
    if (data.facts.classes > 256) return fmt::format("there are {} classes", data.facts.classes);
    return {};
}

/// What of the loss and the metrics the engine does not compute.
std::string foreignLoss(const config::TrainingSpec& training) {
    using Kind = config::LossKind;
    const config::LossSpec& loss = training.loss;
    if (loss.kind != Kind::Auto && loss.kind != Kind::SparseCategoricalCrossEntropy &&
        loss.kind != Kind::CategoricalCrossEntropy)
        return fmt::format("training.loss is \"{}\"", toString(loss.kind));
    if (loss.labelSmoothing != 0)
        return fmt::format("training.label_smoothing is {}", loss.labelSmoothing);
    if (loss.ignoredClass >= 0)
        return fmt::format("training.ignored_class is {}", loss.ignoredClass);
    if (!loss.classWeights.empty() || loss.balancedClassWeights)
        return "training.class_weights is given";
    for (const std::string& metric : training.metrics)
        if (metric != "accuracy") return fmt::format("training.metrics has \"{}\"", metric);
    return {};
}

void addProducts(const model::Graph& graph, tensor::EngineProgram& steps) {
    for (const model::Node& node : graph.nodes) {
        const bool isProduct = std::holds_alternative<model::Dense>(node.operation) ||
                               std::holds_alternative<model::Convolution>(node.operation);
        if (!isProduct) continue;
        const model::Tensor& weight = graph.tensors[static_cast<std::size_t>(node.tensors[0])];
        const std::int64_t units = weight.shape[0];
        steps.products.push_back(
            {.positions = static_cast<std::size_t>(model::elementCount(node.shape) / units),
             .inputs = static_cast<std::size_t>(weight.size() / units),
             .units = static_cast<std::size_t>(units)});
    }
}

/// Tensors that are trained, neighbours that are treated alike as one; with the gap behind each.
std::vector<tensor::EnginePiece> piecesOf(const config::TrainingSpec& training,
                                          const program::Network& network) {
    std::vector<tensor::EnginePiece> pieces;
    const auto& tensors = network.tensors();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (!tensors[i].isStatistic()) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return tensors[i].offset; });
    for (std::size_t at = 0; at < order.size(); ++at) {
        const program::PlacedTensor& tensor = tensors[order[at]];
        if (!network.graph().tensors[order[at]].isTrainable) continue;
        const std::size_t end =
            at + 1 < order.size() ? tensors[order[at + 1]].offset : network.parameterCount();
        const bool reaches =
            training.weightDecayOn == config::DecayOn::All || tensor.shape.size() >= 2;
        const bool decays = training.weightDecay != 0 && reaches;
        const bool isNext =
            !pieces.empty() && pieces.back().end == tensor.offset && pieces.back().decays == decays;
        if (isNext)
            pieces.back().end = end;
        else
            pieces.push_back({tensor.offset, end, decays});
    }
    return pieces;
}

/// As many samples as take no more memory than the training's batch, or a few.
std::int64_t scoredAtATime(const program::Program& training) {
    const program::Program one =
        program::compile(training.graph, 64, program::Program::Mode::Evaluation);
    const std::int64_t fitting = training.arenaFloats / std::max(one.arenaFloats / 64, INT64_C(1));
    return std::clamp(fitting, std::int64_t{16}, kMostScored);
}

program::EnginePrograms programsOf(const config::TrainingSpec& training,
                                   const program::Network& network, std::uint32_t maxBatch,
                                   std::uint64_t seed) {
    program::EnginePrograms programs{
        .steps = {},
        .training = program::compile(network.graph(), maxBatch, program::Program::Mode::Training),
        .evaluation = {}};
    tensor::EngineProgram& steps = programs.steps;
    steps.features = network.inputFeatures();
    steps.classes = network.outputFeatures();
    steps.parameters = network.parameterCount();
    steps.statistics = network.statisticsCount();
    addProducts(network.graph(), steps);
    steps.update = updateOf(training);
    steps.pieces = piecesOf(training, network);
    steps.seed = seed;
    steps.precision = precisionOf(training.precision);
    steps.maxBatch = maxBatch;
    steps.endsOnNonFinite = training.terminateOnNan;
    steps.captured = wantsGraphs();
    return programs;
}

}  // namespace

tensor::Precision precisionOf(config::Precision precision) {
    switch (precision) {
        case config::Precision::Float32:
            return tensor::Precision::Float32;
        case config::Precision::Tf32:
            return tensor::Precision::Tf32;
        case config::Precision::BFloat16:
            return tensor::Precision::BFloat16;
    }
    return tensor::Precision::Float32;
}

tensor::UpdateSettings updateOf(const config::TrainingSpec& t) {
    using Kind = config::OptimizerKind;
    using Rule = tensor::UpdateRule;
    tensor::UpdateSettings update;
    const bool hasMomentum = t.momentum != 0;
    switch (t.optimizer) {
        case Kind::Sgd:
            update.rule = !hasMomentum ? Rule::Sgd : t.nesterov ? Rule::Nesterov : Rule::Momentum;
            break;
        case Kind::Adam:
        case Kind::AdamW:
            update.rule = Rule::Adam;
            break;
        case Kind::RmsProp:
            update.rule = Rule::RmsProp;
            break;
        case Kind::Lion:
            update.rule = Rule::Lion;
            break;
    }
    const double beta1 = t.optimizer == Kind::RmsProp ? t.rho : t.beta1;
    update.momentum = static_cast<float>(t.momentum);
    update.beta1 = static_cast<float>(beta1);
    update.oneMinusBeta1 = static_cast<float>(1 - beta1);
    update.beta2 = static_cast<float>(t.beta2);
    update.oneMinusBeta2 = static_cast<float>(1 - t.beta2);
    update.epsilon = static_cast<float>(t.epsilon);
    update.clipValue = static_cast<float>(t.clipValue);
    return update;
}

std::string beyondWholeSteps(const config::TrainingSpec& training, const data::Dataset& data) {
    if (std::string kind = foreignData(data); !kind.empty()) return kind;
    if (std::string loss = foreignLoss(training); !loss.empty()) return loss;
    if (training.clipNorm != 0) return fmt::format("training.clipnorm is {}", training.clipNorm);
    if (training.globalClipNorm != 0)
        return fmt::format("training.global_clipnorm is {}", training.globalClipNorm);
    if (training.gradientAccumulationSteps > 1)
        return fmt::format("training.gradient_accumulation_steps is {}",
                           training.gradientAccumulationSteps);
    if (training.average.isUsed) return "weights are averaged";
    if (training.evaluateEverySteps > 0) return "training.evaluate_every_steps is given";
    return {};
}

program::EnginePrograms enginePrograms(const config::TrainingSpec& training,
                                       const program::Network& network, const data::Dataset& data,
                                       const std::vector<collective::Range>& buckets,
                                       std::uint32_t maxBatch, std::uint64_t seed) {
    auto programs = programsOf(training, network, maxBatch, seed);
    programs.evaluation = program::compile(network.graph(), scoredAtATime(programs.training),
                                           program::Program::Mode::Evaluation);
    for (const collective::Range& bucket : buckets)
        programs.steps.buckets.push_back({bucket.begin, bucket.end});
    for (const auto* split : {&data.train, &data.validation, &data.test})
        programs.steps.splits.push_back({(*split)->inputs, data::packedLabels(**split)});
    return programs;
}

program::EnginePrograms fedPrograms(const config::TrainingSpec& training,
                                    const program::Network& network, std::uint32_t maxBatch,
                                    std::uint64_t seed) {
    auto programs = programsOf(training, network, maxBatch, seed);
    // Scores are made by a program of the host's.
    programs.evaluation = program::compile(network.graph(), 1, program::Program::Mode::Evaluation);
    programs.steps.isFed = true;
    programs.steps.globalClipNorm = training.globalClipNorm;
    return programs;
}

bool updatesOnDevice(const config::TrainingSpec& training) {
    return training.clipNorm == 0 && training.gradientAccumulationSteps == 1 &&
           !training.average.isUsed;
}

}  // namespace lockstep::train
