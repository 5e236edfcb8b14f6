// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/dropout.h"

#include <cmath>

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

/// A thread takes the units of one block of words.
__global__ void dropoutKernel(const StepMoment* moment, DropUnits drop, const float* x, float* y,
                              std::size_t samples, std::size_t places, std::size_t units) {
    const std::size_t blocks = (units + kDrawGroup - 1) / kDrawGroup * kDrawLanes;
    const StepMoment now = *moment;
    for (std::size_t i = firstElement(); i < samples * places * blocks; i += elementStride()) {
        const std::size_t row = i / blocks;  // a place of a sample
        const std::size_t block = i % blocks;
        const DrawnWords drawn =
            drawWords(now, drop.layer, row / places, static_cast<std::uint32_t>(block));
        for (std::size_t word = 0; word < kDrawWords; ++word) {
            const std::size_t unit =
                block / kDrawLanes * kDrawGroup + word * kDrawLanes + block % kDrawLanes;
            if (unit >= units) continue;
            const std::size_t at = row * units + unit;
            y[at] = drawn.words[word] < drop.threshold ? 0.0F : x[at] * drop.factor;
        }
    }
}

/// Stretches that begin anywhere: a thread takes a unit.
__global__ void dropoutOfPartKernel(const StepMoment* moment, DropUnits drop, const float* x,
                                    float* y, std::size_t samples, DropStretches part) {
    const StepMoment now = *moment;
    const std::size_t sample = part.places * part.units;
    for (std::size_t i = firstElement(); i < samples * sample; i += elementStride()) {
        const std::size_t place = i % sample / part.units;
        y[i] = droppedUnit(now, drop, i / sample, part.first + place * part.step + i % part.units,
                           x[i]);
    }
}

}  // namespace

DropUnits dropUnits(std::uint32_t layer, float rate) {
    const double threshold = std::nearbyint(static_cast<double>(rate) * 4294967296.0);
    return {.factor = static_cast<float>(1.0 / (1.0 - static_cast<double>(rate))),
            .threshold = threshold >= 4294967296.0 ? ~0U : static_cast<std::uint32_t>(threshold),
            .layer = layer};
}

void launchDropout(cudaStream_t stream, const StepMoment* moment, const DropUnits& drop,
                   const float* x, float* y, std::size_t samples, const DropStretches& stretches) {
    const auto [units, places, first, step] = stretches;
    const std::size_t count = samples * places * units;
    if (count == 0) return;
    if (first != 0 || step != 0) {
        dropoutOfPartKernel<<<blocksFor(count), kThreads, 0, stream>>>(moment, drop, x, y, samples,
                                                                       stretches);
        return;
    }
    const std::size_t blocks = (units + kDrawGroup - 1) / kDrawGroup * kDrawLanes;
    dropoutKernel<<<blocksFor(samples * places * blocks), kThreads, 0, stream>>>(
        moment, drop, x, y, samples, places, units);
}

}  // namespace lockstep::tensor::cuda
