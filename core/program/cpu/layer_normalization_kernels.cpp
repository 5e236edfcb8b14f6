// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/layers/layer_normalization.h"

namespace lockstep::program {

namespace {

/// Sizes of a layer normalisation, and where its tensors lie.
struct LayerNorm {
    explicit LayerNorm(const KernelSource& source)
        : operation(std::get<model::LayerNormalization>(source.node().operation)),
          image(source.inputShape()) {
        std::size_t next = 0;
        if (operation.hasScale) weight = source.offset(next++);
        if (operation.hasCenter && !operation.isRootMeanSquare) bias = source.offset(next);
    }

    [[nodiscard]] std::size_t rows(const Frame& frame) const {
        return static_cast<std::size_t>(frame.rows) * image.places();
    }
    [[nodiscard]] tensor::ConstMatrix matrix(const Frame& frame, const Place& place) const {
        return {place.read(frame), rows(frame), image.channels};
    }
    [[nodiscard]] tensor::Matrix result(const Frame& frame, const Place& place) const {
        return {place.write(frame), rows(frame), image.channels};
    }
    [[nodiscard]] std::span<const float> part(const float* flat,
                                              const std::optional<std::size_t>& offset) const {
        return offset ? std::span(flat + *offset, image.channels) : std::span<const float>();
    }
    [[nodiscard]] std::span<float> part(float* flat,
                                        const std::optional<std::size_t>& offset) const {
        return offset ? std::span(flat + *offset, image.channels) : std::span<float>();
    }
    [[nodiscard]] tensor::RowNormalization with(const Frame& frame) const {
        return {.weight = part(frame.parameters, weight),
                .bias = part(frame.parameters, bias),
                .epsilon = operation.epsilon,
                .isRootMeanSquare = operation.isRootMeanSquare};
    }

    model::LayerNormalization operation;
    ImageShape image;
    std::optional<std::size_t> weight{};
    std::optional<std::size_t> bias{};
};

/// What forward keeps: the means of all rows, then their inverse deviations.
Kernel forward(const KernelSource& source) {
    const bool keeps = source.instruction().writes.size() > 1;
    return [norm = LayerNorm(source), x = source.read(0), y = source.write(0),
            kept = keeps ? source.write(1) : Place(), keeps,
            scratch = std::vector<float>()](const Frame& frame) mutable {
        const std::size_t rows = norm.rows(frame);
        if (!keeps) scratch.resize(2 * rows);
        float* moments = keeps ? kept.write(frame) : scratch.data();
        tensor::layerNormalize(norm.matrix(frame, x), norm.with(frame), {moments, rows},
                               {moments + rows, rows}, norm.result(frame, y));
    };
}

Kernel parameterGradient(const KernelSource& source) {
    return [norm = LayerNorm(source), x = source.read(0), dy = source.read(1),
            kept = source.read(2)](const Frame& frame) {
        const std::size_t rows = norm.rows(frame);
        const float* moments = kept.read(frame);
        tensor::layerNormalizeWeightGradient(
            norm.matrix(frame, dy), norm.matrix(frame, x), {moments, rows}, {moments + rows, rows},
            norm.part(frame.gradients, norm.weight), norm.part(frame.gradients, norm.bias));
    };
}

Kernel inputGradient(const KernelSource& source) {
    return [norm = LayerNorm(source), dy = source.read(0), x = source.read(1),
            kept = source.read(2), dx = source.write()](const Frame& frame) {
        const std::size_t rows = norm.rows(frame);
        const float* moments = kept.read(frame);
        tensor::layerNormalizeGradient(norm.matrix(frame, dy), norm.matrix(frame, x),
                                       norm.with(frame), {moments, rows}, {moments + rows, rows},
                                       norm.result(frame, dx));
    };
}

}  // namespace

Result<Kernel> makeLayerNormalizationKernel(const KernelSource& source) {
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
