// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/layers/group_normalization.h"

namespace lockstep::program {

namespace {

/// Sizes of a group normalisation, and where its tensors lie.
struct GroupNorm {
    explicit GroupNorm(const KernelSource& source)
        : operation(std::get<model::GroupNormalization>(source.node().operation)),
          image(source.inputShape()) {
        std::size_t next = 0;
        if (operation.hasScale) weight = source.offset(next++);
        if (operation.hasCenter) bias = source.offset(next);
    }

    [[nodiscard]] tensor::GroupShape shape(const Frame& frame) const {
        return {.samples = static_cast<std::size_t>(frame.rows),
                .places = image.places(),
                .channels = image.channels,
                .groups = static_cast<std::size_t>(operation.groups)};
    }
    /// Numbers of the means, and of the inverse deviations, of a batch.
    [[nodiscard]] std::size_t moments(const Frame& frame) const {
        return static_cast<std::size_t>(frame.rows) * static_cast<std::size_t>(operation.groups);
    }
    template <typename T>
    [[nodiscard]] std::span<T> part(T* flat, const std::optional<std::size_t>& offset) const {
        return offset ? std::span<T>(flat + *offset, image.channels) : std::span<T>();
    }
    [[nodiscard]] tensor::GroupNormalization with(const Frame& frame) const {
        return {.weight = part(frame.parameters, weight),
                .bias = part(frame.parameters, bias),
                .epsilon = operation.epsilon};
    }

    model::GroupNormalization operation;
    ImageShape image;
    std::optional<std::size_t> weight{};
    std::optional<std::size_t> bias{};
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
                                             norm.part(frame.gradients, norm.weight),
                                             norm.part(frame.gradients, norm.bias));
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
    switch (source.action()) {
        case Action::Forward:
            return forward(source);
        case Action::ParameterGradient:
            return parameterGradient(source);
        default:
            return inputGradient(source);
    }
}

}  // namespace lockstep::program
