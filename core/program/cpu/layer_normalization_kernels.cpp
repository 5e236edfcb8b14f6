// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "core/program/cpu/norm_tensors.h"
#include "core/tensor/cpu/layers/layer_normalization.h"

namespace lockstep::program {

namespace {

/// A layer normalisation: rows of channels.
struct LayerNorm : NormTensors {
    explicit LayerNorm(const KernelSource& source)
        : LayerNorm(source, std::get<model::LayerNormalization>(source.node().operation)) {}

    [[nodiscard]] tensor::RowNormalization with(const Frame& frame) const {
        return {.weight = weight(frame),
                .bias = bias(frame),
                .epsilon = operation.epsilon,
                .isRootMeanSquare = operation.isRootMeanSquare};
    }

    model::LayerNormalization operation;

private:
    LayerNorm(const KernelSource& source, const model::LayerNormalization& norm)
        : NormTensors(source, norm.hasScale, norm.hasCenter && !norm.isRootMeanSquare),
          operation(norm) {}
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
        tensor::layerNormalizeWeightGradient(norm.matrix(frame, dy), norm.matrix(frame, x),
                                             {moments, rows}, {moments + rows, rows},
                                             norm.weightGradient(frame), norm.biasGradient(frame));
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
    return byAction(source, {.forward = forward,
                             .parameterGradient = parameterGradient,
                             .inputGradient = inputGradient});
}

}  // namespace lockstep::program
