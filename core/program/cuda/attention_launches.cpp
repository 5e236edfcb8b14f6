// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/attention.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/layers/dropout.h"

namespace lockstep::program {

namespace {

using namespace tensor::cuda;

/// A node's attention: its weights are kept for some samples at a time.
class DeviceAttention {
public:
    explicit DeviceAttention(DeviceKernelSource& source)
        : operation_(std::get<model::Attention>(source.node().operation)) {
        const ImageShape image(source.node().shape);
        positions_ = image.places();
        width_ = image.channels;
        heads_ = static_cast<std::size_t>(operation_.heads);
        const bool isTraining = source.program().mode == Program::Mode::Training;
        drops_ = isTraining && operation_.dropout > 0;
        const std::size_t sample = heads_ * positions_ * positions_ * sizeof(float);
        chunk_ = std::clamp<std::size_t>(source.workBytes() / (2 * sample), 1, source.maxBatch());
        weightsAt_ = source.reserve(chunk_ * sample);
        otherAt_ = source.reserve(chunk_ * sample);
        logSumsAt_ = source.reserve(source.maxBatch() * heads_ * positions_ * sizeof(float));
    }

    void forward(const DeviceFrame& frame, const float* qkv, float* y, float* logSums) const {
        if (logSums == nullptr) logSums = scratchAt<float>(frame, logSumsAt_);
        float* weights = scratchAt<float>(frame, weightsAt_);
        for (std::size_t first = 0; first < rowsOf(frame); first += chunk_) {
            const AttentionWeights shape = weightsFrom(frame, first);
            const float* from = qkv + first * sampleSize(3);
            multiply(frame, shape.samples, queryKeys(), from, from + width_, weights);
            launchAttentionSoftmax(frame.stream, shape, frame.moment, weights,
                                   logSums + first * heads_ * positions_);
            multiply(frame, shape.samples, {square(), rowsIn(3), rowsIn(1), Inner::Positions},
                     weights, from + 2 * width_, y + first * sampleSize(1));
        }
    }

    void gradient(const DeviceFrame& frame, const float* qkv, const float* logSums, const float* dy,
                  float* dQkv) const {
        for (std::size_t first = 0; first < rowsOf(frame); first += chunk_)
            gradientOfChunk(frame, weightsFrom(frame, first), qkv + first * sampleSize(3),
                            logSums + first * heads_ * positions_, dy + first * sampleSize(1),
                            dQkv + first * sampleSize(3));
    }

private:
    /// The dimension that is summed over: positions, or the width of a head.
    enum class Inner : std::uint8_t { Positions, HeadWidth };
    struct Operands {
        HeadMatrix a;
        HeadMatrix b;
        HeadMatrix c;
        Inner inner = Inner::Positions;
        float factor = 1;
    };

    [[nodiscard]] std::size_t headWidth() const { return width_ / heads_; }
    [[nodiscard]] float scale() const {
        return static_cast<float>(1.0 / std::sqrt(static_cast<double>(headWidth())));
    }
    [[nodiscard]] std::size_t sampleSize(std::size_t parts) const {
        return positions_ * parts * width_;
    }
    /// Positions of a head, in rows of as many parts as wide as the attention.
    [[nodiscard]] HeadMatrix rowsIn(std::size_t parts) const {
        return {
            .sample = sampleSize(parts), .head = headWidth(), .row = parts * width_, .column = 1};
    }
    [[nodiscard]] HeadMatrix square() const {
        const std::size_t size = positions_ * positions_;
        return {.sample = heads_ * size, .head = size, .row = positions_, .column = 1};
    }
    [[nodiscard]] static HeadMatrix transposed(HeadMatrix matrix) {
        std::swap(matrix.row, matrix.column);
        return matrix;
    }
    [[nodiscard]] Operands queryKeys() const {
        return {rowsIn(3), transposed(rowsIn(3)), square(), Inner::HeadWidth, scale()};
    }
    [[nodiscard]] AttentionWeights weightsFrom(const DeviceFrame& frame, std::size_t first) const {
        return {
            .samples = std::min(chunk_, rowsOf(frame) - first),
            .heads = heads_,
            .positions = positions_,
            .firstSample = first,
            .firstHead = static_cast<std::size_t>(operation_.firstHead),
            .isCausal = operation_.isCausal ? 1U : 0U,
            .drops = drops_ ? 1U : 0U,
            .drop = dropUnits(static_cast<std::uint32_t>(operation_.layer), operation_.dropout)};
    }
    void multiply(const DeviceFrame& frame, std::size_t samples, const Operands& operands,
                  const float* a, const float* b, float* c) const {
        const bool overPositions = operands.inner == Inner::Positions;
        launchHeadProduct(frame.stream,
                          {.samples = samples,
                           .heads = static_cast<std::uint32_t>(heads_),
                           .factor = operands.factor,
                           .rows = positions_,
                           .columns = overPositions ? headWidth() : positions_,
                           .inner = overPositions ? positions_ : headWidth(),
                           .a = operands.a,
                           .b = operands.b,
                           .c = operands.c},
                          a, b, c);
    }

    void gradientOfChunk(const DeviceFrame& frame, const AttentionWeights& shape, const float* qkv,
                         const float* logSums, const float* dy, float* dQkv) const {
        float* weights = scratchAt<float>(frame, weightsAt_);
        float* other = scratchAt<float>(frame, otherAt_);
        const std::size_t n = shape.samples;
        multiply(frame, n, queryKeys(), qkv, qkv + width_, weights);
        launchAttentionWeights(frame.stream, shape, frame.moment, logSums, weights,
                               drops_ ? other : nullptr);
        multiply(frame, n, {transposed(square()), rowsIn(1), rowsIn(3), Inner::Positions},
                 drops_ ? other : weights, dy, dQkv + 2 * width_);
        multiply(frame, n, {rowsIn(1), transposed(rowsIn(3)), square(), Inner::HeadWidth}, dy,
                 qkv + 2 * width_, other);
        launchScoreGradient(frame.stream, shape, frame.moment, weights, other);
        multiply(frame, n, {square(), rowsIn(3), rowsIn(3), Inner::Positions, scale()}, other,
                 qkv + width_, dQkv);
        multiply(frame, n, {transposed(square()), rowsIn(3), rowsIn(3), Inner::Positions, scale()},
                 other, qkv, dQkv + width_);
    }

    model::Attention operation_;
    std::size_t positions_ = 1;
    std::size_t width_ = 1;
    std::size_t heads_ = 1;
    bool drops_ = false;
    std::size_t chunk_ = 1;  ///< Samples.
    std::size_t weightsAt_ = 0;
    std::size_t otherAt_ = 0;
    std::size_t logSumsAt_ = 0;
};

}  // namespace

Result<DeviceKernel> makeDeviceAttention(DeviceKernelSource& source) {
    DeviceAttention attention(source);
    if (source.action() != Action::Forward)
        return [attention, dy = source.read(0), qkv = source.read(1), kept = source.read(2),
                dQkv = source.write()](const DeviceFrame& frame) -> Result<void> {
            attention.gradient(frame, qkv.read(frame), kept.read(frame), dy.read(frame),
                               dQkv.write(frame));
            return {};
        };
    const bool keeps = source.instruction().writes.size() > 1;
    return [attention, qkv = source.read(0), y = source.write(0),
            kept = keeps ? source.write(1) : Place(),
            keeps](const DeviceFrame& frame) -> Result<void> {
        attention.forward(frame, qkv.read(frame), y.write(frame),
                          keeps ? kept.write(frame) : nullptr);
        return {};
    };
}

}  // namespace lockstep::program
