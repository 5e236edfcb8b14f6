// SPDX-License-Identifier: Apache-2.0
#include "core/optim/optimizer.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/check.h"

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

}  // namespace

double adamStepSize(double learningRate, double beta1, double beta2, std::int64_t step) {
    return learningRate * std::sqrt(1 - integerPower(beta2, step)) /
           (1 - integerPower(beta1, step));
}

Result<Optimizer> Optimizer::make(const config::TrainingSpec& training) {
    if (auto ok = checkPositive("learning_rate", training.learningRate); !ok)
        return fail(std::move(ok).error());
    if (training.optimizer == config::OptimizerKind::Sgd) {
        if (auto ok = checkFactor("momentum", training.momentum); !ok)
            return fail(std::move(ok).error());
        return Optimizer(training);
    }
    if (auto ok = checkFactor("beta1", training.beta1); !ok) return fail(std::move(ok).error());
    if (auto ok = checkFactor("beta2", training.beta2); !ok) return fail(std::move(ok).error());
    if (auto ok = checkPositive("epsilon", training.epsilon); !ok)
        return fail(std::move(ok).error());
    return Optimizer(training);
}

Optimizer::Optimizer(const config::TrainingSpec& training)
    : kind_(training.optimizer),
      learningRate_(training.learningRate),
      momentum_(training.momentum),
      beta1_(training.beta1),
      beta2_(training.beta2),
      epsilon_(training.epsilon) {}

int Optimizer::momentCount() const {
    if (kind_ == config::OptimizerKind::Adam) return 2;
    return momentum_ == 0 ? 0 : 1;
}

void Optimizer::update(tensor::Ops& ops, tensor::Stream& stream, std::size_t begin, std::size_t end,
                       std::span<const float> gradients, std::span<float> parameters,
                       const Moments& moments, std::int64_t step) const {
    LS_CHECK(begin <= end && end <= parameters.size(), "the range must lie in the buffers");
    LS_CHECK(step >= 1, "steps count from 1");
    const std::size_t count = end - begin;
    const auto g = gradients.subspan(begin, count);
    const auto p = parameters.subspan(begin, count);
    if (kind_ == config::OptimizerKind::Adam) {
        const tensor::AdamSettings settings{
            .stepSize = static_cast<float>(adamStepSize(learningRate_, beta1_, beta2_, step)),
            .oneMinusBeta1 = static_cast<float>(1 - beta1_),
            .oneMinusBeta2 = static_cast<float>(1 - beta2_),
            .epsilon = static_cast<float>(epsilon_)};
        ops.adam(stream, settings, g, p, moments[0].subspan(begin, count),
                 moments[1].subspan(begin, count));
        return;
    }
    const tensor::SgdSettings settings{.learningRate = static_cast<float>(learningRate_),
                                       .momentum = static_cast<float>(momentum_)};
    const auto buffer = momentum_ == 0 ? std::span<float>() : moments[0].subspan(begin, count);
    ops.sgd(stream, settings, g, p, buffer);
}

}  // namespace lockstep::optim
