// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "core/program/cpu/norm_tensors.h"
#include "core/tensor/cpu/layers/group_normalization.h"

namespace lockstep::program {

namespace {

/// A group normalisation: a sample's places of some channels.
struct GroupNorm : NormTensors {
    explicit GroupNorm(const KernelSource& source)
        : GroupNorm(source, std::get<model::GroupNormalization>(source.node().operation)) {}

    [[nodiscard]] tensor::GroupShape shape(const Frame& frame) const {
        return {.samples = static_cast<std::size_t>(frame.rows),
                .places = image().places(),
                .channels = channels(),
                .groups = static_cast<std::size_t>(operation.groups)};
    }
    /// Numbers of the means, and of the inverse deviations, of a batch.
    [[nodiscard]] std::size_t moments(const Frame& frame) const {
        return static_cast<std::size_t>(frame.rows) * static_cast<std::size_t>(operation.groups);
    }
    [[nodiscard]] tensor::GroupNormalization with(const Frame& frame) const {
        return {.weight = weight(frame), .bias = bias(frame), .epsilon = operation.epsilon};
    }

    model::GroupNormalization operation;

private:
    GroupNorm(const KernelSource& source, const model::GroupNormalization& norm)
        : NormTensors(source, norm.hasScale, norm.hasCenter), operation(norm) {}
};

/// What forward keeps: the means, then the inverse deviations.
Kernel forward(const KernelSource& source) {
    const bool keeps = source.instruction().writes.size() > 1;
    return [norm = GroupNorm(source), x = source.read(0), y = source.write(0),
            kept = keeps ? source.write(1) : Place(), keeps,
            scratch = std::vector<float>()](const Frame& frame) mutable {
        const std::size_t count = norm.moments(frame);
        if (!keeps) scratch.resize(2 * count);
        float* moments = keeps ? kept.write(frame) : scratch.data();
        tensor::groupNormalize(norm.shape(frame), all(frame, x), norm.with(frame), {moments, count},
                               {moments + count, count}, result(frame, y));
    };
}

Kernel parameterGradient(const KernelSource& source) {
    return [norm = GroupNorm(source), x = source.read(0), dy = source.read(1),
            kept = source.read(2)](const Frame& frame) {
        const std::size_t count = norm.moments(frame);
        const float* moments = kept.read(frame);
        tensor::groupNormalizeWeightGradient(norm.shape(frame), all(frame, dy), all(frame, x),
                                             {moments, count}, {moments + count, count},
                                             norm.weightGradient(frame), norm.biasGradient(frame));
    };
}

Kernel inputGradient(const KernelSource& source) {
    return [norm = GroupNorm(source), dy = source.read(0), x = source.read(1),
            kept = source.read(2), dx = source.write()](const Frame& frame) {
        const std::size_t count = norm.moments(frame);
        const float* moments = kept.read(frame);
        tensor::groupNormalizeGradient(norm.shape(frame), all(frame, dy), all(frame, x),
                                       norm.with(frame), {moments, count}, {moments + count, count},
                                       result(frame, dx));
    };
}

}  // namespace

Result<Kernel> makeGroupNormalizationKernel(const KernelSource& source) {
    return byAction(source, {.forward = forward,
                             .parameterGradient = parameterGradient,
                             .inputGradient = inputGradient});
}

}  // namespace lockstep::program
