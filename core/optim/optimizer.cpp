// SPDX-License-Identifier: Apache-2.0
#include "core/optim/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cpu/layers/vector_loops.h"

namespace lockstep::optim {
namespace {

/// base^exponent from multiplications alone: std::pow may differ in its last bit between
/// processors, and with it the weights of replicas on different hosts.
double integerPower(double base, std::int64_t exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2 == 1) result *= base;
    return result;
}

Result<void> checkFactor(const char* key, double value) {
    if (value >= 0 && value < 1) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("training.{} is {}; it must be at least 0 and below 1.", key, value));
}

Result<void> checkPositive(const char* key, double value) {
    // Used as float32 with denormals flushed: what vanishes or overflows there is refused as well.
    if (value > 0 && std::isnormal(static_cast<float>(value))) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("training.{} is {}; it must be a finite number above 0.", key, value),
                "Numbers from 1.2e-38 to 3.4e38 can be used.");
}

Result<void> checkAmount(const char* key, double value) {
    if (value >= 0 && std::isfinite(static_cast<float>(value))) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("training.{} is {}; it must be a finite number from 0.", key, value));
}

Result<void> checkSchedule(const config::ScheduleSpec& schedule) {
    if (schedule.kind != config::ScheduleKind::Piecewise) return {};
    if (!schedule.boundaries.empty() && schedule.values.size() == schedule.boundaries.size() + 1)
        return {};
    return fail(ErrorCode::BadInput,
                "training.schedule.values must be one more than training.schedule.boundaries.");
}

/// Elements that are decayed, clipped and updated while they are in the first cache.
constexpr std::size_t kBlock = 2048;

}  // namespace

double adamStepSize(double learningRate, double beta1, double beta2, std::int64_t step) {
    return learningRate * std::sqrt(1 - integerPower(beta2, step)) /
           (1 - integerPower(beta1, step));
}

Result<Optimizer> Optimizer::make(const config::TrainingSpec& training) {
    using Kind = config::OptimizerKind;
    const Kind kind = training.optimizer;
    const bool isAdam = kind == Kind::Adam || kind == Kind::AdamW;
    TRY(checkPositive("learning_rate", training.learningRate));
    if (kind == Kind::Sgd || kind == Kind::RmsProp) TRY(checkFactor("momentum", training.momentum));
    if (isAdam || kind == Kind::Lion) {
        TRY(checkFactor("beta1", training.beta1));
        TRY(checkFactor("beta2", training.beta2));
    }
    if (isAdam || kind == Kind::RmsProp) TRY(checkPositive("epsilon", training.epsilon));
    if (kind == Kind::RmsProp) TRY(checkFactor("rho", training.rho));
    TRY(checkAmount("weight_decay", training.weightDecay));
    TRY(checkAmount("clipnorm", training.clipNorm));
    TRY(checkAmount("clipvalue", training.clipValue));
    TRY(checkAmount("global_clipnorm", training.globalClipNorm));
    TRY(checkSchedule(training.schedule));
    return Optimizer(training);
}

Optimizer::Optimizer(const config::TrainingSpec& training)
    : training_(training), momentCount_(static_cast<int>(momentNames().size())) {}

std::vector<std::string> Optimizer::momentNames() const {
    std::vector<std::string> names = ruleNames();
    if (training_.average.isUsed) names.emplace_back("average");
    return names;
}

void Optimizer::addToAverage(std::span<const float> parameters, std::span<float> average,
                             bool isFirst) const {
    const float kept = isFirst ? 0.0F : static_cast<float>(training_.average.momentum);
    const float taken = 1.0F - kept;
    for (std::size_t i = 0; i < average.size(); ++i)
        average[i] = kept * average[i] + taken * parameters[i];
}

std::vector<std::string> Optimizer::ruleNames() const {
    const bool hasMomentum = training_.momentum != 0;
    switch (training_.optimizer) {
        case config::OptimizerKind::Sgd:
            break;
        case config::OptimizerKind::Adam:
        case config::OptimizerKind::AdamW:
            return {"exp_avg", "exp_avg_sq"};
        case config::OptimizerKind::RmsProp:
            if (hasMomentum) return {"square_avg", "momentum_buffer"};
            return {"square_avg"};
        case config::OptimizerKind::Lion:
            return {"exp_avg"};
    }
    if (hasMomentum) return {"momentum_buffer"};
    return {};
}

tensor::BitSums Optimizer::apply(const tensor::UpdateSpans& spans,
                                 const PieceUpdate& update) const {
    const config::TrainingSpec& t = training_;
    const auto rate = static_cast<float>(update.learningRate);
    const tensor::SgdSettings sgd{rate, static_cast<float>(t.momentum)};
    switch (t.optimizer) {
        case config::OptimizerKind::Sgd:
            if (t.nesterov && t.momentum != 0)
                return tensor::sgdNesterov(tensor::bestIsa(), sgd, spans);
            return tensor::sgd(tensor::bestIsa(), sgd, spans);
        case config::OptimizerKind::Adam:
        case config::OptimizerKind::AdamW:
            return tensor::adam(tensor::bestIsa(),
                                {.stepSize = static_cast<float>(adamStepSize(
                                     update.learningRate, t.beta1, t.beta2, update.step)),
                                 .oneMinusBeta1 = static_cast<float>(1 - t.beta1),
                                 .oneMinusBeta2 = static_cast<float>(1 - t.beta2),
                                 .epsilon = static_cast<float>(t.epsilon)},
                                spans);
        case config::OptimizerKind::RmsProp:
            return tensor::rmsProp(tensor::bestIsa(),
                                   {rate, static_cast<float>(t.rho), static_cast<float>(1 - t.rho),
                                    static_cast<float>(t.epsilon), static_cast<float>(t.momentum)},
                                   spans);
        case config::OptimizerKind::Lion:
            return tensor::lion(tensor::bestIsa(),
                                {rate, static_cast<float>(t.beta1), static_cast<float>(1 - t.beta1),
                                 static_cast<float>(t.beta2), static_cast<float>(1 - t.beta2)},
                                spans);
    }
    return {};
}

tensor::BitSums Optimizer::update(std::size_t begin, std::size_t end,
                                  std::span<const float> gradients, std::span<float> parameters,
                                  const Moments& moments, const PieceUpdate& update) const {
    LS_CHECK(begin <= end && end <= parameters.size(), "the range must lie in the buffers");
    LS_CHECK(update.step >= 1, "steps count from 1");
    const config::TrainingSpec& t = training_;
    const bool clips = t.clipValue != 0 || t.clipNorm != 0 || t.globalClipNorm != 0;
    const bool decays = update.decays && t.weightDecay != 0;
    const float limit =
        t.clipValue != 0 ? static_cast<float>(t.clipValue) : std::numeric_limits<float>::infinity();
    const std::size_t block = clips || decays ? kBlock : std::max<std::size_t>(end - begin, 1);
    const auto part = [](std::span<float> state, std::size_t at, std::size_t count) {
        return state.empty() ? state : state.subspan(at, count);
    };
    std::array<float, kBlock> clipped;
    tensor::BitSums sums;
    for (std::size_t at = begin; at < end; at += block) {
        const std::size_t count = std::min(block, end - at);
        tensor::UpdateSpans spans{gradients.subspan(at, count), parameters.subspan(at, count),
                                  part(moments[0], at, count), part(moments[1], at, count)};
        if (clips) {
            const auto room = std::span(clipped).first(count);
            tensor::scaleAndClip(tensor::bestIsa(), update.gradientScale, limit, spans.gradients,
                                 room);
            spans.gradients = room;
        }
        if (!decays) {
            sums.add(apply(spans, update));
            continue;
        }
        const auto share = static_cast<float>(update.learningRate * t.weightDecay);
        const auto decayed = tensor::decay(tensor::bestIsa(), share, spans.parameters);
        sums.add({.found = decayed.found, .left = apply(spans, update).left});
    }
    return sums;
}

tensor::BitSums Optimizer::update(std::size_t begin, std::size_t end,
                                  std::span<const float> gradients, std::span<float> parameters,
                                  const Moments& moments, std::int64_t step) const {
    return update(begin, end, gradients, parameters, moments,
                  PieceUpdate{.step = step, .learningRate = training_.learningRate});
}

}  // namespace lockstep::optim
