// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/kernels.h"

#include "core/tensor/cuda/device_loops.h"
#include "core/tensor/cuda/step_stamps.h"

namespace lockstep::tensor::cuda {
namespace {

template <typename T>
__device__ T fromFloat(float value) {
    return static_cast<T>(value);
}

template <typename T>
bool beginsAtQuad(const T* numbers) {
    return reinterpret_cast<std::uintptr_t>(numbers) % sizeof(Quad<T>) == 0;
}

template <typename T>
__device__ Quad<T> scaledQuad(const Quad<std::uint8_t>& pixels) {
    Quad<T> to;
    for (unsigned k = 0; k < kQuad; ++k)
        to.values[k] = fromFloat<T>(scaledByte(pixels.values[k]));
    return to;
}

template <typename T>
__device__ void gatherRows(const GatherSource& source, std::uint32_t first, std::uint32_t rows,
                           T* x, std::int32_t* y) {
    for (std::uint32_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const std::size_t sample = sampleOf(source.order, first, row);
        const std::uint8_t* image = source.images + sample * source.pixels;
        T* to = x + static_cast<std::size_t>(row) * source.pixels;
        if (source.pixels % kQuad == 0)
            for (std::uint32_t i = threadIdx.x; i < source.pixels / kQuad; i += blockDim.x)
                quadsOf(to)[i] = scaledQuad<T>(quadsOf(image)[i]);
        else
            for (std::uint32_t i = threadIdx.x; i < source.pixels; i += blockDim.x)
                to[i] = fromFloat<T>(scaledByte(image[i]));
        if (threadIdx.x == 0 && y != nullptr) y[row] = source.labels[sample];
    }
}

template <typename T>
__global__ void gatherKernel(GatherSource source, std::uint32_t first, std::uint32_t rows, T* x,
                             std::int32_t* y) {
    gatherRows(source, first, rows, x, y);
}

template <typename T>
__global__ void stepGatherKernel(GatherSource source, StepState state, std::uint32_t rows, T* x,
                                 std::int32_t* y) {
    if (blockIdx.x == 0 && threadIdx.x == 0) stampStep(state, Stamp::Begin);
    gatherRows(source, state.steps[state.cursor->position].first, rows, x, y);
}

/// The row's largest logit, the same in every lane of the warp.
__device__ Largest largestOfRow(const float* logits, std::uint32_t classes) {
    const unsigned lane = threadIdx.x % kWarp;
    Largest best{logits[0], 0};
    for (std::uint32_t c = lane; c < classes; c += kWarp)
        best = larger(best, {logits[c], static_cast<std::int32_t>(c)});
    for (unsigned width = kWarp; width > 1; width /= 2) {
        const Largest other{__shfl_xor_sync(0xFFFFFFFFU, best.value, width / 2),
                            __shfl_xor_sync(0xFFFFFFFFU, best.index, width / 2)};
        best = larger(best, other);
    }
    return best;
}

__device__ double expSumOfRow(const float* logits, std::uint32_t classes, float largest) {
    const unsigned lane = threadIdx.x % kWarp;
    double sum = 0;
    for (std::uint32_t c = lane; c < classes; c += kWarp)
        sum += static_cast<double>(expf(logits[c] - largest));
    for (unsigned width = kWarp; width > 1; width /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFU, sum, width / 2);
    return sum;
}

/// A warp takes a row. `dLogits` may be the logits' own memory: the row is read before it is
/// written, by the lanes that read it.
template <typename T>
__global__ void softmaxLossKernel(const float* logits, const std::int32_t* labels, LossShape shape,
                                  float scale, T* dLogits, double* rowLoss, std::uint8_t* rowHit,
                                  StepState state) {
    if (state.cursor != nullptr) {
        scale = state.steps[state.cursor->position].gradientScale;
        if (blockIdx.x == 0 && threadIdx.x == 0) stampStep(state, Stamp::Forward);
    }
    const std::uint32_t warps = gridDim.x * (kThreads / kWarp);
    const unsigned lane = threadIdx.x % kWarp;
    for (std::uint32_t r = (blockIdx.x * kThreads + threadIdx.x) / kWarp; r < shape.rows;
         r += warps) {
        const float* row = logits + static_cast<std::size_t>(r) * shape.classes;
        const std::int32_t label = labels[r];
        const Largest best = largestOfRow(row, shape.classes);
        const double expSum = expSumOfRow(row, shape.classes, best.value);
        if (lane == 0) {
            rowLoss[r] =
                log(expSum) + (static_cast<double>(best.value) - static_cast<double>(row[label]));
            rowHit[r] = best.index == label ? 1 : 0;
        }
        __syncwarp();
        if (dLogits == nullptr) continue;
        const auto factor = static_cast<float>(static_cast<double>(scale) / expSum);
        T* gradient = dLogits + static_cast<std::size_t>(r) * shape.classes;
        for (std::uint32_t c = lane; c < shape.classes; c += kWarp) {
            const float value = factor * expf(row[c] - best.value);
            const bool hit = static_cast<std::int32_t>(c) == label;
            gradient[c] = fromFloat<T>(hit ? value - scale : value);
        }
        __syncwarp();
    }
}

struct RowSums {
    double loss;
    double hits;
};

/// One block of kVoteThreads: lanes, then a tree. Valid in thread 0.
__device__ RowSums sumRows(const double* rowLoss, const std::uint8_t* rowHit, std::uint32_t rows) {
    __shared__ double losses[kVoteThreads];
    __shared__ double hits[kVoteThreads];
    const unsigned lane = threadIdx.x;
    losses[lane] = laneSum(rowLoss, rows, lane, kVoteThreads);
    hits[lane] = laneSum(rowHit, rows, lane, kVoteThreads);
    for (unsigned width = kVoteThreads; width > 1; width /= 2) {
        __syncthreads();
        if (lane >= width / 2) continue;
        losses[lane] += losses[foldPartner(lane, width)];
        hits[lane] += hits[foldPartner(lane, width)];
    }
    __syncthreads();
    return {losses[0], hits[0]};
}

__global__ void addTotalsKernel(const double* rowLoss, const std::uint8_t* rowHit,
                                std::uint32_t rows, LossTotals* totals) {
    const RowSums sums = sumRows(rowLoss, rowHit, rows);
    if (threadIdx.x != 0) return;
    totals->lossSum += sums.loss;
    totals->correct += sums.hits;
    totals->samples += rows;
}

__device__ void vote(const StepState& state, const LossTotals& loss) {
    const bool lossFinite = loss.lossSum - loss.lossSum == 0;
    state.votes[kLossSum] = loss.lossSum;
    state.votes[kCorrect] = loss.correct;
    state.votes[kSamples] = loss.samples;
    state.votes[kStop] = *const_cast<const volatile std::uint32_t*>(state.stop) != 0 ? 1 : 0;
    state.votes[kNotFinite] = lossFinite ? 0 : 1;
    state.figures[state.cursor->position].mine = loss;
}

__global__ void votesKernel(const double* rowLoss, const std::uint8_t* rowHit, std::uint32_t rows,
                            StepState state) {
    const RowSums sums = sumRows(rowLoss, rowHit, rows);
    if (threadIdx.x == 0) vote(state, {sums.loss, sums.hits, static_cast<double>(rows)});
}

__global__ void hostVotesKernel(const LossTotals* loss, StepState state) {
    stampStep(state, Stamp::Forward);
    vote(state, *loss);
}

__global__ void rowVotesKernel(const double* all, std::size_t members, StepState state) {
    for (unsigned vote = 0; vote < kVotes; ++vote) {
        double value = all[vote];
        const bool isAnybodys = vote == kStop || vote == kNotFinite;
        for (std::size_t member = 1; isAnybodys && member < members; ++member)
            value = all[member * kVotes + vote] > value ? all[member * kVotes + vote] : value;
        state.votes[vote] = value;
    }
}

__global__ void stampKernel(StepState state, Stamp stamp) {
    stampStep(state, stamp);
}

__global__ void finishStepKernel(StepState state) {
    Cursor& cursor = *state.cursor;
    EngineFigures& figures = state.figures[cursor.position];
    figures.all = {state.votes[kLossSum], state.votes[kCorrect], state.votes[kSamples]};
    figures.stop = state.votes[kStop];
    figures.notFinite = state.votes[kNotFinite];
    const bool spoilt = figures.notFinite > 0 && state.endsOnNonFinite != 0;
    if (spoilt || figures.stop > 0) cursor.poisoned = 1;
    figures.stamps[static_cast<unsigned>(Stamp::End0)] = cursor.lastEnd;
    cursor.lastEnd = deviceTime();
    figures.stamps[static_cast<unsigned>(Stamp::End)] = cursor.lastEnd;
    cursor.position = cursor.position + 1 == state.places ? 0 : cursor.position + 1;
}

__global__ void toBFloat16Kernel(const float* from, BFloat* to, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        to[i] = fromFloat<BFloat>(from[i]);
}

/// The same of numbers that begin at quads.
__global__ void quadsToBFloat16Kernel(const float* from, BFloat* to, std::size_t count) {
    const std::size_t quads = count / kQuad;
    for (std::size_t i = firstElement(); i < quads; i += elementStride()) {
        const Quad<float> values = quadsOf(from)[i];
        Quad<BFloat> rounded;
        for (unsigned k = 0; k < kQuad; ++k)
            rounded.values[k] = fromFloat<BFloat>(values.values[k]);
        quadsOf(to)[i] = rounded;
    }
    const std::size_t rest = quads * kQuad + firstElement();
    if (rest < count) to[rest] = fromFloat<BFloat>(from[rest]);
}

__global__ void fillKernel(float* values, float value, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        values[i] = value;
}

unsigned warpBlocks(std::uint32_t rows) {
    return blocksFor(static_cast<std::size_t>(rows) * kWarp);
}

unsigned rowBlocks(std::uint32_t rows) {
    return rows < kMostBlocks ? rows : kMostBlocks;
}

StepState stateOrNone(const StepState* state) {
    return state == nullptr ? StepState{} : *state;
}

}  // namespace

template <typename T>
void launchGather(cudaStream_t stream, const GatherSource& source, std::uint32_t first,
                  std::uint32_t rows, T* x, std::int32_t* y) {
    if (rows == 0) return;
    gatherKernel<T><<<rowBlocks(rows), kThreads, 0, stream>>>(source, first, rows, x, y);
}

template <typename T>
void launchStepGather(cudaStream_t stream, const GatherSource& source, const StepState& state,
                      std::uint32_t rows, T* x, std::int32_t* y) {
    const unsigned blocks = rows == 0 ? 1 : rowBlocks(rows);
    stepGatherKernel<T><<<blocks, kThreads, 0, stream>>>(source, state, rows, x, y);
}

template <typename T>
void launchSoftmaxLoss(cudaStream_t stream, const float* logits, const std::int32_t* labels,
                       LossShape shape, float scale, T* dLogits, double* rowLoss,
                       std::uint8_t* rowHit, const StepState* state) {
    if (shape.rows == 0) return;
    softmaxLossKernel<T><<<warpBlocks(shape.rows), kThreads, 0, stream>>>(
        logits, labels, shape, scale, dLogits, rowLoss, rowHit, stateOrNone(state));
}

void launchAddTotals(cudaStream_t stream, const double* rowLoss, const std::uint8_t* rowHit,
                     std::uint32_t rows, LossTotals* totals) {
    addTotalsKernel<<<1, kVoteThreads, 0, stream>>>(rowLoss, rowHit, rows, totals);
}

void launchVotes(cudaStream_t stream, const double* rowLoss, const std::uint8_t* rowHit,
                 std::uint32_t rows, const StepState& state) {
    votesKernel<<<1, kVoteThreads, 0, stream>>>(rowLoss, rowHit, rows, state);
}

void launchHostVotes(cudaStream_t stream, const LossTotals* loss, const StepState& state) {
    hostVotesKernel<<<1, 1, 0, stream>>>(loss, state);
}

void launchRowVotes(cudaStream_t stream, const double* all, std::size_t members,
                    const StepState& state) {
    rowVotesKernel<<<1, 1, 0, stream>>>(all, members, state);
}

void launchStamp(cudaStream_t stream, const StepState& state, Stamp stamp) {
    stampKernel<<<1, 1, 0, stream>>>(state, stamp);
}

void launchFinishStep(cudaStream_t stream, const StepState& state) {
    finishStepKernel<<<1, 1, 0, stream>>>(state);
}

void launchToBFloat16(cudaStream_t stream, const float* from, BFloat* to, std::size_t count) {
    if (count == 0) return;
    if (beginsAtQuad(from) && beginsAtQuad(to))
        quadsToBFloat16Kernel<<<blocksFor(count / kQuad), kThreads, 0, stream>>>(from, to, count);
    else
        toBFloat16Kernel<<<blocksFor(count), kThreads, 0, stream>>>(from, to, count);
}

void launchFill(cudaStream_t stream, float* values, float value, std::size_t count) {
    if (count == 0) return;
    fillKernel<<<blocksFor(count), kThreads, 0, stream>>>(values, value, count);
}

#define LS_INSTANTIATE(T)                                                                          \
    template void launchGather<T>(cudaStream_t, const GatherSource&, std::uint32_t, std::uint32_t, \
                                  T*, std::int32_t*);                                              \
    template void launchStepGather<T>(cudaStream_t, const GatherSource&, const StepState&,         \
                                      std::uint32_t, T*, std::int32_t*);                           \
    template void launchSoftmaxLoss<T>(cudaStream_t, const float*, const std::int32_t*, LossShape, \
                                       float, T*, double*, std::uint8_t*, const StepState*);
LS_INSTANTIATE(float)
#undef LS_INSTANTIATE

}  // namespace lockstep::tensor::cuda
