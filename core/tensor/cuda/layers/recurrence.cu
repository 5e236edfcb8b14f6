// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/recurrence.h"

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/layers/activate.h"

namespace lockstep::tensor::cuda {
namespace {

/// A number of a row, or zero where there are no rows.
__device__ inline float readAt(StepRows<const float> rows, std::size_t row, std::size_t column) {
    return rows.data == nullptr ? 0.0F : rows.data[row * rows.distance + column];
}

__device__ inline float productAt(const ForwardStep& step, std::size_t row, std::size_t column) {
    const float product = readAt(step.product, row, column);
    return step.bias == nullptr ? product : product + step.bias[column];
}

__device__ inline float gateAt(const ForwardStep& step, std::size_t row, std::size_t column) {
    return readAt(step.x, row, column) + productAt(step, row, column);
}

/// A thread takes a unit of a row, as in the others. The gates may lie where x lies.
__global__ void lstmStepKernel(ForwardStep step) {
    const std::size_t n = step.units;
    for (std::size_t k = firstElement(); k < step.rows * n; k += elementStride()) {
        const std::size_t row = k / n;
        const std::size_t u = k % n;
        const float i = sigmoidOf(gateAt(step, row, u));
        const float f = sigmoidOf(gateAt(step, row, n + u));
        const float g = tanhf(gateAt(step, row, 2 * n + u));
        const float o = sigmoidOf(gateAt(step, row, 3 * n + u));
        const float c = f * readAt(step.extraBefore, row, u) + i * g;
        const float h = o * tanhf(c);
        float* gates = step.gates.data + row * step.gates.distance;
        gates[u] = i;
        gates[n + u] = f;
        gates[2 * n + u] = g;
        gates[3 * n + u] = o;
        step.extra.data[row * step.extra.distance + u] = c;
        step.state[k] = h;
        step.given.data[row * step.given.distance + u] = h;
    }
}

__global__ void gruStepKernel(ForwardStep step) {
    const std::size_t n = step.units;
    for (std::size_t k = firstElement(); k < step.rows * n; k += elementStride()) {
        const std::size_t row = k / n;
        const std::size_t u = k % n;
        const float r = sigmoidOf(gateAt(step, row, u));
        const float z = sigmoidOf(gateAt(step, row, n + u));
        const float q = productAt(step, row, 2 * n + u);
        const float candidate = tanhf(readAt(step.x, row, 2 * n + u) + r * q);
        const float before = step.product.data == nullptr ? 0.0F : step.state[k];
        const float h = candidate + z * (before - candidate);
        float* gates = step.gates.data + row * step.gates.distance;
        gates[u] = r;
        gates[n + u] = z;
        gates[2 * n + u] = candidate;
        step.extra.data[row * step.extra.distance + u] = q;
        step.state[k] = h;
        step.given.data[row * step.given.distance + u] = h;
    }
}

/// dx may lie where the gates lie. Without a product nothing comes from a step behind.
__global__ void lstmGradientKernel(BackwardStep step) {
    const std::size_t n = step.units;
    for (std::size_t k = firstElement(); k < step.rows * n; k += elementStride()) {
        const std::size_t row = k / n;
        const std::size_t u = k % n;
        const float i = readAt(step.gates, row, u);
        const float f = readAt(step.gates, row, n + u);
        const float g = readAt(step.gates, row, 2 * n + u);
        const float o = readAt(step.gates, row, 3 * n + u);
        const float bent = tanhf(readAt(step.extra, row, u));
        const float dh = readAt(step.dy, row, u) + readAt(step.product, row, u);
        const float carried = step.product.data == nullptr ? 0.0F : step.carry[k];
        const float dc = carried + dh * o * (1.0F - bent * bent);
        const float gradients[] = {dc * g * (i * (1.0F - i)),
                                   dc * readAt(step.before, row, u) * (f * (1.0F - f)),
                                   dc * i * (1.0F - g * g), dh * bent * (o * (1.0F - o))};
        step.carry[k] = dc * f;
        for (std::size_t gate = 0; gate < 4; ++gate) {
            step.dx.data[row * step.dx.distance + gate * n + u] = gradients[gate];
            step.hidden[row * 4 * n + gate * n + u] = gradients[gate];
        }
    }
}

__global__ void gruGradientKernel(BackwardStep step) {
    const std::size_t n = step.units;
    for (std::size_t k = firstElement(); k < step.rows * n; k += elementStride()) {
        const std::size_t row = k / n;
        const std::size_t u = k % n;
        const float r = readAt(step.gates, row, u);
        const float z = readAt(step.gates, row, n + u);
        const float candidate = readAt(step.gates, row, 2 * n + u);
        const float carried = step.product.data == nullptr ? 0.0F : step.carry[k];
        const float dh = readAt(step.dy, row, u) + readAt(step.product, row, u) + carried;
        const float dn = dh * (1.0F - z) * (1.0F - candidate * candidate);
        const float dr = dn * readAt(step.extra, row, u) * (r * (1.0F - r));
        const float dz = dh * (readAt(step.before, row, u) - candidate) * (z * (1.0F - z));
        step.carry[k] = dh * z;
        float* dx = step.dx.data + row * step.dx.distance;
        float* hidden = step.hidden + row * 3 * n;
        dx[u] = dr;
        dx[n + u] = dz;
        dx[2 * n + u] = dn;
        hidden[u] = dr;
        hidden[n + u] = dz;
        hidden[2 * n + u] = dn * r;
    }
}

__global__ void statesBeforeKernel(StateSequences shape, std::size_t count, const float* states,
                                   float* before) {
    for (std::size_t k = firstElement(); k < count; k += elementStride()) {
        const std::size_t unit = k % shape.units;
        const std::size_t position = k / shape.units % shape.positions;
        const std::size_t sample = k / shape.units / shape.positions;
        const std::size_t step =
            shape.goesBackwards != 0 ? shape.positions - 1 - position : position;
        before[k] =
            step == 0 ? 0.0F : states[(sample * shape.positions + step - 1) * shape.units + unit];
    }
}

__global__ void gruProductsKernel(std::size_t count, std::size_t units, const float* dx,
                                  const float* gates, float* gradient) {
    for (std::size_t k = firstElement(); k < count; k += elementStride()) {
        const std::size_t column = k % (3 * units);
        gradient[k] = column < 2 * units ? dx[k] : dx[k] * gates[k - 2 * units];
    }
}

}  // namespace

void launchLstmStep(cudaStream_t stream, const ForwardStep& step) {
    const std::size_t count = step.rows * step.units;
    if (count == 0) return;
    lstmStepKernel<<<blocksFor(count), kThreads, 0, stream>>>(step);
}

void launchGruStep(cudaStream_t stream, const ForwardStep& step) {
    const std::size_t count = step.rows * step.units;
    if (count == 0) return;
    gruStepKernel<<<blocksFor(count), kThreads, 0, stream>>>(step);
}

void launchLstmGradient(cudaStream_t stream, const BackwardStep& step) {
    const std::size_t count = step.rows * step.units;
    if (count == 0) return;
    lstmGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(step);
}

void launchGruGradient(cudaStream_t stream, const BackwardStep& step) {
    const std::size_t count = step.rows * step.units;
    if (count == 0) return;
    gruGradientKernel<<<blocksFor(count), kThreads, 0, stream>>>(step);
}

void launchStatesBefore(cudaStream_t stream, const StateSequences& shape, const float* states,
                        float* before) {
    const std::size_t count = shape.samples * shape.positions * shape.units;
    if (count == 0) return;
    statesBeforeKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, count, states, before);
}

void launchGruProducts(cudaStream_t stream, std::size_t rows, std::size_t units, const float* dx,
                       const float* gates, float* gradient) {
    const std::size_t count = rows * 3 * units;
    if (count == 0) return;
    gruProductsKernel<<<blocksFor(count), kThreads, 0, stream>>>(count, units, dx, gates, gradient);
}

}  // namespace lockstep::tensor::cuda
