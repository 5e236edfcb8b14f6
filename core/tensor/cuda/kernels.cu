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
__device__ float toFloat(T value) {
    return static_cast<float>(value);
}

template <typename T>
__device__ void gatherRows(const GatherSource& source, std::uint32_t first, std::uint32_t rows,
                           T* x, std::int32_t* y) {
    for (std::uint32_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const std::size_t sample = sampleOf(source.order, first, row);
        const std::uint8_t* image = source.images + sample * source.pixels;
        T* to = x + static_cast<std::size_t>(row) * source.pixels;
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

template <typename T>
__global__ void addBiasKernel(T* y, const T* bias, std::size_t count, std::size_t columns,
                              bool withRelu) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        const float value = toFloat(y[i]) + toFloat(bias[i % columns]);
        y[i] = fromFloat<T>(withRelu ? relu(value) : value);
    }
}

template <typename T>
__global__ void maskKernel(T* dx, const T* x, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        dx[i] = fromFloat<T>(maskedByRelu(toFloat(dx[i]), toFloat(x[i])));
}

/// A block takes kSumColumns columns; its lanes' sums are added in the lanes' order.
template <typename T>
__global__ void columnSumsKernel(const T* values, std::size_t rows, std::size_t columns,
                                 float* sums) {
    __shared__ float partial[kSumLanes][kSumColumns];
    const std::size_t column = static_cast<std::size_t>(blockIdx.x) * kSumColumns + threadIdx.x;
    float sum = 0;
    if (column < columns)
        for (std::size_t row = threadIdx.y; row < rows; row += kSumLanes)
            sum += toFloat(values[row * columns + column]);
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= columns) return;
    float total = 0;
    for (unsigned lane = 0; lane < kSumLanes; ++lane)
        total += partial[lane][threadIdx.x];
    sums[column] = total;
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

__global__ void predictKernel(const float* logits, LossShape shape, std::int32_t* classes,
                              float* probabilities) {
    const std::uint32_t warps = gridDim.x * (kThreads / kWarp);
    const unsigned lane = threadIdx.x % kWarp;
    for (std::uint32_t r = (blockIdx.x * kThreads + threadIdx.x) / kWarp; r < shape.rows;
         r += warps) {
        const float* row = logits + static_cast<std::size_t>(r) * shape.classes;
        const Largest best = largestOfRow(row, shape.classes);
        const double expSum = expSumOfRow(row, shape.classes, best.value);
        if (lane == 0) classes[r] = best.index;
        const auto factor = static_cast<float>(1.0 / expSum);
        for (std::uint32_t c = lane; c < shape.classes; c += kWarp)
            probabilities[static_cast<std::size_t>(r) * shape.classes + c] =
                factor * expf(row[c] - best.value);
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

__global__ void votesKernel(const double* rowLoss, const std::uint8_t* rowHit, std::uint32_t rows,
                            StepState state) {
    const RowSums sums = sumRows(rowLoss, rowHit, rows);
    if (threadIdx.x != 0) return;
    const bool lossFinite = sums.loss - sums.loss == 0;
    state.votes[kLossSum] = sums.loss;
    state.votes[kCorrect] = sums.hits;
    state.votes[kSamples] = rows;
    state.votes[kStop] = *const_cast<const volatile std::uint32_t*>(state.stop) != 0 ? 1 : 0;
    state.votes[kNotFinite] = lossFinite ? 0 : 1;
    state.figures[state.cursor->position].mine = {sums.loss, sums.hits, static_cast<double>(rows)};
}

__global__ void stampKernel(StepState state, Stamp stamp) {
    stampStep(state, stamp);
}

__global__ void sgdKernel(SgdSettings settings, UpdateArrays a) {
    for (std::size_t i = firstElement(); i < a.count; i += elementStride())
        sgdElement(settings, a.gradients[i], a.parameters[i]);
}

__global__ void momentumKernel(SgdSettings settings, UpdateArrays a) {
    for (std::size_t i = firstElement(); i < a.count; i += elementStride())
        momentumElement(settings, a.gradients[i], a.parameters[i], a.first[i]);
}

__global__ void adamKernel(AdamSettings settings, UpdateArrays a) {
    for (std::size_t i = firstElement(); i < a.count; i += elementStride())
        adamElement(settings, settings.stepSize, a.gradients[i], a.parameters[i], a.first[i],
                    a.second[i]);
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

__global__ void fillKernel(float* values, float value, std::size_t count) {
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        values[i] = value;
}

__global__ void setFlagKernel(bool* flag) {
    *flag = true;
}

__global__ void allFiniteKernel(const float* values, std::size_t count, bool* flag) {
    bool good = true;
    for (std::size_t i = firstElement(); i < count; i += elementStride())
        good = good && finite(values[i]);
    if (!good) *flag = false;  // whoever writes, writes the same
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
void launchAddBias(cudaStream_t stream, T* y, const T* bias, std::size_t rows, std::size_t columns,
                   bool withRelu) {
    const std::size_t count = rows * columns;
    if (count == 0) return;
    addBiasKernel<T><<<blocksFor(count), kThreads, 0, stream>>>(y, bias, count, columns, withRelu);
}

template <typename T>
void launchMaskByRelu(cudaStream_t stream, T* dx, const T* x, std::size_t count) {
    if (count == 0) return;
    maskKernel<T><<<blocksFor(count), kThreads, 0, stream>>>(dx, x, count);
}

template <typename T>
void launchColumnSums(cudaStream_t stream, const T* values, std::size_t rows, std::size_t columns,
                      float* sums) {
    if (columns == 0) return;
    const auto blocks = static_cast<unsigned>((columns + kSumColumns - 1) / kSumColumns);
    columnSumsKernel<T>
        <<<blocks, dim3(kSumColumns, kSumLanes), 0, stream>>>(values, rows, columns, sums);
}

template <typename T>
void launchSoftmaxLoss(cudaStream_t stream, const float* logits, const std::int32_t* labels,
                       LossShape shape, float scale, T* dLogits, double* rowLoss,
                       std::uint8_t* rowHit, const StepState* state) {
    if (shape.rows == 0) return;
    softmaxLossKernel<T><<<warpBlocks(shape.rows), kThreads, 0, stream>>>(
        logits, labels, shape, scale, dLogits, rowLoss, rowHit, stateOrNone(state));
}

void launchPredict(cudaStream_t stream, const float* logits, LossShape shape, std::int32_t* classes,
                   float* probabilities) {
    if (shape.rows == 0) return;
    predictKernel<<<warpBlocks(shape.rows), kThreads, 0, stream>>>(logits, shape, classes,
                                                                   probabilities);
}

void launchAddTotals(cudaStream_t stream, const double* rowLoss, const std::uint8_t* rowHit,
                     std::uint32_t rows, LossTotals* totals) {
    addTotalsKernel<<<1, kVoteThreads, 0, stream>>>(rowLoss, rowHit, rows, totals);
}

void launchVotes(cudaStream_t stream, const double* rowLoss, const std::uint8_t* rowHit,
                 std::uint32_t rows, const StepState& state) {
    votesKernel<<<1, kVoteThreads, 0, stream>>>(rowLoss, rowHit, rows, state);
}

void launchStamp(cudaStream_t stream, const StepState& state, Stamp stamp) {
    stampKernel<<<1, 1, 0, stream>>>(state, stamp);
}

void launchSgd(cudaStream_t stream, const SgdSettings& settings, const UpdateArrays& arrays) {
    sgdKernel<<<blocksFor(arrays.count), kThreads, 0, stream>>>(settings, arrays);
}

void launchMomentum(cudaStream_t stream, const SgdSettings& settings, const UpdateArrays& arrays) {
    momentumKernel<<<blocksFor(arrays.count), kThreads, 0, stream>>>(settings, arrays);
}

void launchAdam(cudaStream_t stream, const AdamSettings& settings, const UpdateArrays& arrays) {
    adamKernel<<<blocksFor(arrays.count), kThreads, 0, stream>>>(settings, arrays);
}

void launchFinishStep(cudaStream_t stream, const StepState& state) {
    finishStepKernel<<<1, 1, 0, stream>>>(state);
}

void launchToBFloat16(cudaStream_t stream, const float* from, BFloat* to, std::size_t count) {
    if (count == 0) return;
    toBFloat16Kernel<<<blocksFor(count), kThreads, 0, stream>>>(from, to, count);
}

void launchFill(cudaStream_t stream, float* values, float value, std::size_t count) {
    if (count == 0) return;
    fillKernel<<<blocksFor(count), kThreads, 0, stream>>>(values, value, count);
}

void launchAllFinite(cudaStream_t stream, const float* values, std::size_t count, bool* flag) {
    setFlagKernel<<<1, 1, 0, stream>>>(flag);
    if (count == 0) return;
    allFiniteKernel<<<blocksFor(count), kThreads, 0, stream>>>(values, count, flag);
}

#define LS_INSTANTIATE(T)                                                                          \
    template void launchGather<T>(cudaStream_t, const GatherSource&, std::uint32_t, std::uint32_t, \
                                  T*, std::int32_t*);                                              \
    template void launchStepGather<T>(cudaStream_t, const GatherSource&, const StepState&,         \
                                      std::uint32_t, T*, std::int32_t*);                           \
    template void launchAddBias<T>(cudaStream_t, T*, const T*, std::size_t, std::size_t, bool);    \
    template void launchMaskByRelu<T>(cudaStream_t, T*, const T*, std::size_t);                    \
    template void launchColumnSums<T>(cudaStream_t, const T*, std::size_t, std::size_t, float*);   \
    template void launchSoftmaxLoss<T>(cudaStream_t, const float*, const std::int32_t*, LossShape, \
                                       float, T*, double*, std::uint8_t*, const StepState*);
LS_INSTANTIATE(float)
#undef LS_INSTANTIATE

}  // namespace lockstep::tensor::cuda
