// SPDX-License-Identifier: Apache-2.0
// Layer, root-mean-square and group normalisation.
#include "core/tensor/cuda/layers/row_normalization.h"

#include <optional>
#include <variant>

#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/layers/channel_sums.h"

namespace lockstep::program {

namespace {

using namespace tensor::cuda;

/// Where weight and bias lie, each where there is one.
struct RowNormTensors {
    RowNormTensors(const DeviceKernelSource& source, bool hasWeight, bool hasBias) {
        std::size_t next = 0;
        if (hasWeight) weight = source.parameter(next++);
        if (hasBias) bias = source.parameter(next);
    }
    [[nodiscard]] static const float* read(const DeviceFrame& frame,
                                           const std::optional<TensorPlace>& tensor) {
        return tensor ? tensor->read(frame) : nullptr;
    }
    [[nodiscard]] static float* gradient(const DeviceFrame& frame,
                                         const std::optional<TensorPlace>& tensor) {
        return tensor ? tensor->gradient(frame) : nullptr;
    }

    std::optional<TensorPlace> weight{};
    std::optional<TensorPlace> bias{};
};

/// A normalisation of rows: its shape for the batch of the moment.
struct DeviceLayerNorm {
    explicit DeviceLayerNorm(const DeviceKernelSource& source)
        : operation(std::get<model::LayerNormalization>(source.node().operation)),
          image(source.inputShape()),
          tensors(source, operation.hasScale, operation.hasCenter && !operation.isRootMeanSquare) {}

    [[nodiscard]] NormalizedRows shape(const DeviceFrame& frame) const {
        return {.rows = rowsOf(frame) * image.places(),
                .columns = image.channels,
                .epsilon = operation.epsilon,
                .isRootMeanSquare = operation.isRootMeanSquare ? 1U : 0U,
                .weight = RowNormTensors::read(frame, tensors.weight),
                .bias = RowNormTensors::read(frame, tensors.bias)};
    }
    void forward(const DeviceFrame& frame, const float* x, float* y, float* moments) const {
        launchNormalizeRows(frame.stream, shape(frame), x, y, moments);
    }
    void inputGradient(const DeviceFrame& frame, const float* dy, const float* x,
                       const float* moments, float* dx) const {
        launchRowInputGradient(frame.stream, shape(frame), dy, x, moments, dx);
    }
    [[nodiscard]] ColumnTerms terms(const DeviceFrame& frame, const float* moments) const {
        const std::size_t rows = rowsOf(frame) * image.places();
        return {.kind = ColumnTerms::Kind::RowMoments, .mean = moments, .inverse = moments + rows};
    }

    model::LayerNormalization operation;
    ImageShape image;
    RowNormTensors tensors;
};

/// The same of groups of channels.
struct DeviceGroupNorm {
    explicit DeviceGroupNorm(const DeviceKernelSource& source)
        : operation(std::get<model::GroupNormalization>(source.node().operation)),
          image(source.inputShape()),
          tensors(source, operation.hasScale, operation.hasCenter) {}

    [[nodiscard]] std::size_t groups() const { return static_cast<std::size_t>(operation.groups); }
    [[nodiscard]] NormalizedGroups shape(const DeviceFrame& frame) const {
        return {.samples = rowsOf(frame),
                .places = image.places(),
                .channels = image.channels,
                .groups = static_cast<std::uint32_t>(groups()),
                .epsilon = operation.epsilon,
                .weight = RowNormTensors::read(frame, tensors.weight),
                .bias = RowNormTensors::read(frame, tensors.bias)};
    }
    void forward(const DeviceFrame& frame, const float* x, float* y, float* moments) const {
        launchNormalizeGroups(frame.stream, shape(frame), x, y, moments);
    }
    void inputGradient(const DeviceFrame& frame, const float* dy, const float* x,
                       const float* moments, float* dx) const {
        launchGroupInputGradient(frame.stream, shape(frame), dy, x, moments, dx);
    }
    [[nodiscard]] ColumnTerms terms(const DeviceFrame& frame, const float* moments) const {
        return {.kind = ColumnTerms::Kind::GroupMoments,
                .places = static_cast<std::uint32_t>(image.places()),
                .groups = static_cast<std::uint32_t>(groups()),
                .mean = moments,
                .inverse = moments + rowsOf(frame) * groups()};
    }

    model::GroupNormalization operation;
    ImageShape image;
    RowNormTensors tensors;
};

template <typename Norm>
DeviceKernel forward(const DeviceKernelSource& source) {
    const bool keeps = source.instruction().writes.size() > 1;
    return [norm = Norm(source), x = source.read(0), y = source.write(0),
            kept = keeps ? source.write(1) : Place(),
            keeps](const DeviceFrame& frame) -> Result<void> {
        norm.forward(frame, x.read(frame), y.write(frame), keeps ? kept.write(frame) : nullptr);
        return {};
    };
}

template <typename Norm>
DeviceKernel parameterGradient(DeviceKernelSource& source) {
    const Norm norm(source);
    const std::size_t scratch = source.reserve(
        columnSumsScratch(source.maxBatch() * norm.image.places(), norm.image.channels));
    return [norm, scratch, x = source.read(0), dy = source.read(1),
            kept = source.read(2)](const DeviceFrame& frame) -> Result<void> {
        ColumnTerms terms = norm.terms(frame, kept.read(frame));
        terms.dy = dy.read(frame);
        terms.x = x.read(frame);
        terms.rows = rowsOf(frame) * norm.image.places();
        terms.columns = static_cast<std::uint32_t>(norm.image.channels);
        launchColumnSumsOf(frame.stream, terms,
                           {.firstFloats = RowNormTensors::gradient(frame, norm.tensors.bias),
                            .secondFloats = RowNormTensors::gradient(frame, norm.tensors.weight)},
                           scratchAt<double>(frame, scratch));
        return {};
    };
}

template <typename Norm>
DeviceKernel inputGradient(const DeviceKernelSource& source) {
    return [norm = Norm(source), dy = source.read(0), x = source.read(1), kept = source.read(2),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        norm.inputGradient(frame, dy.read(frame), x.read(frame), kept.read(frame), dx.write(frame));
        return {};
    };
}

template <typename Norm>
DeviceKernel make(DeviceKernelSource& source) {
    switch (source.action()) {
        case Action::Forward:
            return forward<Norm>(source);
        case Action::ParameterGradient:
            return parameterGradient<Norm>(source);
        default:
            return inputGradient<Norm>(source);
    }
}

}  // namespace

Result<DeviceKernel> makeDeviceLayerNormalization(DeviceKernelSource& source) {
    return make<DeviceLayerNorm>(source);
}

Result<DeviceKernel> makeDeviceGroupNormalization(DeviceKernelSource& source) {
    return make<DeviceGroupNorm>(source);
}

}  // namespace lockstep::program
