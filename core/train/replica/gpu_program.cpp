// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/gpu_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <variant>
#include <vector>

#include "core/config/job/optimizer_keys.h"
#include "core/config/job/task.h"
#include "core/data/raw_sets.h"

namespace lockstep::train {

namespace {

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

/// LOCKSTEP_CUDA_GRAPHS=0: launch by launch, to look for a defect or to compare.
bool wantsGraphs() {
    const char* wanted = std::getenv("LOCKSTEP_CUDA_GRAPHS");
    return wanted == nullptr || std::strcmp(wanted, "0") != 0;
}

/// What GPUs compute: a chain of dense layers with biases, each linear or rectified.
class DenseChain {
public:
    explicit DenseChain(const program::Network& network) : network_(network) {
        for (std::size_t i = 0; i < network.graph().nodes.size() && foreign_ < 0; ++i)
            if (!take(static_cast<int>(i))) foreign_ = static_cast<int>(i);
    }

    [[nodiscard]] const std::vector<tensor::EngineLayer>& layers() const { return layers_; }
    /// The layer that is something else; null: none is.
    [[nodiscard]] const model::Layer* foreignLayer() const {
        if (foreign_ < 0) return nullptr;
        const model::Graph& graph = network_.graph();
        const int layer = graph.nodes[static_cast<std::size_t>(foreign_)].layer;
        return &graph.layers[static_cast<std::size_t>(std::max(layer, 0))];
    }

private:
    bool take(int index) {
        const model::Graph& graph = network_.graph();
        const model::Node& node = graph.nodes[static_cast<std::size_t>(index)];
        if (index == 0) return std::holds_alternative<model::Input>(node.operation);
        if (node.inputs != std::vector<int>{index - 1}) return false;
        const model::Shape& before = graph.nodes[static_cast<std::size_t>(index) - 1].shape;
        const bool isView = std::holds_alternative<model::Reshape>(node.operation) ||
                            (std::holds_alternative<model::Flatten>(node.operation) &&
                             (before.size() < 2 || before.back() == 1));
        if (isView) return true;
        if (std::holds_alternative<model::Dense>(node.operation)) return takeDense(node, before);
        const auto* activation = std::get_if<model::Activation>(&node.operation);
        if (activation == nullptr || activation->function != model::Function::Relu ||
            layers_.empty())
            return false;
        layers_.back().activation = tensor::Activation::Relu;
        return true;
    }

    bool takeDense(const model::Node& node, const model::Shape& before) {
        if (before.size() != 1 || node.tensors.size() != 2) return false;
        const auto weight = static_cast<std::size_t>(node.tensors[0]);
        const auto bias = static_cast<std::size_t>(node.tensors[1]);
        const auto& tensors = network_.graph().tensors;
        const std::size_t offset = network_.tensors()[weight].offset;
        const bool isShared = std::ranges::any_of(
            layers_, [offset](const tensor::EngineLayer& layer) { return layer.weight == offset; });
        if (isShared || !tensors[weight].isTrainable || !tensors[bias].isTrainable) return false;
        layers_.push_back({static_cast<std::size_t>(before[0]),
                           static_cast<std::size_t>(node.shape[0]),
                           network_.tensors()[weight].offset, network_.tensors()[bias].offset,
                           tensor::Activation::Linear});
        return true;
    }

    const program::Network& network_;
    std::vector<tensor::EngineLayer> layers_;
    int foreign_ = -1;
};

void setRule(const config::TrainingSpec& training, tensor::EngineProgram& program) {
    const bool adam = training.optimizer == config::OptimizerKind::Adam;
    program.rule = adam                     ? tensor::UpdateRule::Adam
                   : training.momentum != 0 ? tensor::UpdateRule::Momentum
                                            : tensor::UpdateRule::Sgd;
    program.sgd = {static_cast<float>(training.learningRate),
                   static_cast<float>(training.momentum)};
    program.adam = {.stepSize = 0,  // comes with each step
                    .oneMinusBeta1 = static_cast<float>(1 - training.beta1),
                    .oneMinusBeta2 = static_cast<float>(1 - training.beta2),
                    .epsilon = static_cast<float>(training.epsilon)};
}

/// What of the data the engine does not take. Empty: it takes all.
std::string foreignData(const data::Dataset& data) {
    const data::Split& train = *data.train;
    if (train.inputKind == data::InputKind::Floats) return "rows of numbers";
    if (train.inputKind == data::InputKind::Tokens) return "text";
    if (train.targetKind != data::TargetKind::Class) return "other targets than classes";
    if (!data.augment.empty()) return "images that are augmented";
    if (!data.facts.inputScale.empty()) return "images that are normalised";
    if (data.facts.classes > 256) return fmt::format("{} classes", data.facts.classes);
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

/// What of [training] the engine does not compute: a key with its value. Empty: it can all.
std::string foreignSetting(const config::TrainingSpec& training) {
    using Kind = config::OptimizerKind;
    if (training.optimizer != Kind::Sgd && training.optimizer != Kind::Adam)
        return fmt::format("training.optimizer is \"{}\"", toString(training.optimizer));
    if (training.optimizer == Kind::Sgd && training.nesterov && training.momentum != 0)
        return "training.nesterov is true";
    if (training.weightDecay != 0)
        return fmt::format("training.weight_decay is {}", training.weightDecay);
    if (training.clipNorm != 0) return fmt::format("training.clipnorm is {}", training.clipNorm);
    if (training.clipValue != 0) return fmt::format("training.clipvalue is {}", training.clipValue);
    if (training.globalClipNorm != 0)
        return fmt::format("training.global_clipnorm is {}", training.globalClipNorm);
    if (const std::string loss = foreignLoss(training); !loss.empty()) return loss;
    if (training.schedule.kind != config::ScheduleKind::Constant)
        return fmt::format("training.schedule.type is \"{}\"", toString(training.schedule.kind));
    return {};
}

}  // namespace

Result<void> checkEngineCan(const config::TrainingSpec& training, const program::Network& network,
                            const data::Dataset& data) {
    if (const std::string kind = foreignData(data); !kind.empty())
        return fail(ErrorCode::BadInput,
                    fmt::format("the data set has {}, and GPUs take only images as they are, of at "
                                "most 256 classes, yet",
                                kind),
                    "Use cluster.device = \"auto\" or \"cpu\".");
    if (const std::string setting = foreignSetting(training); !setting.empty())
        return fail(ErrorCode::BadInput,
                    fmt::format("{}, and GPUs compute only adam and sgd, with momentum, without "
                                "decay, clipping and schedule, of the plain cross-entropy of "
                                "classes yet",
                                setting),
                    "Use cluster.device = \"auto\" or \"cpu\".");
    const DenseChain chain(network);
    const model::Layer* foreign = chain.foreignLayer();
    if (foreign == nullptr) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("{} ({}) is more than GPUs compute yet: chains of dense layers with "
                            "biases, linear or relu, each with trained weights of its own, on rows "
                            "or grey images",
                            foreign->place, foreign->type),
                "Use cluster.device = \"auto\" or \"cpu\".");
}

Result<tensor::EngineProgram> engineProgram(const config::TrainingSpec& training,
                                            const program::Network& network,
                                            const data::Dataset& data,
                                            const std::vector<collective::Range>& buckets,
                                            std::uint32_t maxBatch) {
    if (auto able = checkEngineCan(training, network, data); !able)
        return fail(std::move(able).error());
    tensor::EngineProgram program;
    program.features = network.inputFeatures();
    program.parameters = network.parameterCount();
    program.layers = DenseChain(network).layers();
    for (const collective::Range& bucket : buckets)
        program.buckets.push_back({bucket.begin, bucket.end});
    setRule(training, program);
    program.precision = precisionOf(training.precision);
    program.maxBatch = maxBatch;
    program.endsOnNonFinite = training.terminateOnNan;
    program.captured = wantsGraphs();
    for (const auto* split : {&data.train, &data.validation, &data.test})
        program.splits.push_back({(*split)->inputs, data::packedLabels(**split)});
    return program;
}

}  // namespace lockstep::train
