// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/updates.h"

#include <algorithm>

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/step_stamps.h"

namespace lockstep::tensor::cuda {
namespace {

__device__ bool isApplied(const StepState& state) {
    return !(state.votes[kNotFinite] > 0) && state.cursor->poisoned == 0;
}

/// The weight after the step; the operations of the CPU's rules, in their order.
__device__ float updatedWeight(const UpdateSettings& s, const EngineStep& step, float g, float p,
                               const UpdateArrays& a, std::size_t i) {
    switch (s.rule) {
        case UpdateRule::Sgd:
            sgdElement({step.learningRate, 0}, g, p);
            break;
        case UpdateRule::Momentum:
            momentumElement({step.learningRate, s.momentum}, g, p, a.first[i]);
            break;
        case UpdateRule::Nesterov:
            nesterovElement({step.learningRate, s.momentum}, g, p, a.first[i]);
            break;
        case UpdateRule::Adam:
            adamElement({0, s.oneMinusBeta1, s.oneMinusBeta2, s.epsilon}, step.adamStepSize, g, p,
                        a.first[i], a.second[i]);
            break;
        case UpdateRule::RmsProp:
            rmsPropElement(s, step.learningRate, g, p, a.first[i],
                           s.momentum == 0.0F ? nullptr : a.second + i);
            break;
        case UpdateRule::Lion:
            lionElement(s, step.learningRate, g, p, a.first[i]);
            break;
    }
    return p;
}

/// Pieces of one launch, in their order; a copy, since a captured launch keeps it.
constexpr unsigned kMostPieces = 64;
struct UpdatePiece {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t decays = 0;  ///< 1: it does.
};
struct UpdatePieces {
    UpdatePiece pieces[kMostPieces];
    std::size_t count = 0;
};

/// The piece that an element lies in, or the one before the gap that it lies in.
__device__ const UpdatePiece& pieceOf(const UpdatePieces& all, std::size_t element) {
    std::size_t first = 0;
    for (std::size_t count = all.count; count > 1;) {
        const std::size_t half = count / 2;
        if (all.pieces[first + half].begin <= element) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return all.pieces[first];
}

__global__ void stepUpdateKernel(UpdateSettings settings, UpdatePieces pieces, UpdateArrays a,
                                 const float* scale, StepState state) {
    if (firstElement() == 0) stampStep(state, Stamp::Sums);
    if (!isApplied(state)) return;
    const EngineStep& step = state.steps[state.cursor->position];
    const std::size_t begin = pieces.pieces[0].begin;
    const std::size_t end = pieces.pieces[pieces.count - 1].end;
    for (std::size_t i = begin + firstElement(); i < end; i += elementStride()) {
        const UpdatePiece& piece = pieceOf(pieces, i);
        if (i >= piece.end) continue;
        const float scaled = scale == nullptr ? a.gradients[i] : a.gradients[i] * *scale;
        const float g = clippedValue(scaled, settings.clipValue);
        float p = a.parameters[i];
        if (piece.decays != 0) p -= step.decay * p;
        p = updatedWeight(settings, step, g, p, a, i);
        a.parameters[i] = p;
        if (a.shadow != nullptr) a.shadow[i] = static_cast<BFloat>(p);
    }
}

__global__ void keepStatisticsKernel(StepState state, const float* before, std::size_t count,
                                     float* statistics) {
    if (isApplied(state)) return;
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        statistics[i] = before[i];
}

__global__ void beginStepKernel(StepState state, std::uint64_t seed, StepMoment* moment) {
    const EngineStep& step = state.steps[state.cursor->position];
    *moment = {seed, step.index, step.firstPlace};
}

}  // namespace

void launchStepUpdate(cudaStream_t stream, const UpdateSettings& settings,
                      std::span<const EnginePiece> pieces, const UpdateArrays& arrays,
                      const float* scale, const StepState& state) {
    while (!pieces.empty()) {
        UpdatePieces some;
        some.count = std::min<std::size_t>(pieces.size(), kMostPieces);
        for (std::size_t i = 0; i < some.count; ++i)
            some.pieces[i] = {pieces[i].begin, pieces[i].end, pieces[i].decays ? 1U : 0U};
        pieces = pieces.subspan(some.count);
        const std::size_t size = some.pieces[some.count - 1].end - some.pieces[0].begin;
        stepUpdateKernel<<<blocksFor(size), kThreads, 0, stream>>>(settings, some, arrays, scale,
                                                                   state);
    }
}

void launchKeepStatistics(cudaStream_t stream, const StepState& state, const float* before,
                          std::size_t count, float* statistics) {
    if (count == 0) return;
    keepStatisticsKernel<<<blocksFor(count), kThreads, 0, stream>>>(state, before, count,
                                                                    statistics);
}

void launchBeginStep(cudaStream_t stream, const StepState& state, std::uint64_t seed,
                     StepMoment* moment) {
    beginStepKernel<<<1, 1, 0, stream>>>(state, seed, moment);
}

}  // namespace lockstep::tensor::cuda
