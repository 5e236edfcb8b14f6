// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/mesh.h"

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

/// Where number `i` of a member's part lies in the whole.
__device__ std::size_t placeInWhole(const MeshParts& shape, std::size_t member, std::size_t i) {
    const std::size_t piece = shape.own / shape.segments;
    const std::size_t row = i / shape.own;
    const std::size_t segment = i % shape.own / piece;
    return ((row * shape.segments + segment) * shape.members + member) * piece + i % piece;
}

template <typename T>
__device__ void sumParts(const T* parts, std::size_t members, std::size_t count, T* sums) {
    for (std::size_t i = firstElement(); i < count; i += elementStride()) {
        T sum = parts[i];
        for (std::size_t member = 1; member < members; ++member)
            sum += parts[member * count + i];
        sums[i] = sum;
    }
}

__global__ void sumFloatsKernel(const float* parts, std::size_t members, std::size_t count,
                                float* sums) {
    sumParts(parts, members, count, sums);
}
__global__ void sumDoublesKernel(const double* parts, std::size_t members, std::size_t count,
                                 double* sums) {
    sumParts(parts, members, count, sums);
}

__global__ void joinPartsKernel(MeshParts shape, const float* parts, float* whole) {
    const std::size_t size = shape.rows * shape.own;
    for (std::size_t i = firstElement(); i < size * shape.members; i += elementStride())
        whole[placeInWhole(shape, i / size, i % size)] = parts[i];
}

__global__ void takePartKernel(MeshParts shape, std::size_t index, bool adds, const float* whole,
                               float* part) {
    for (std::size_t i = firstElement(); i < shape.rows * shape.own; i += elementStride()) {
        const float value = whole[placeInWhole(shape, index, i)];
        part[i] = adds ? part[i] + value : value;
    }
}

}  // namespace

void launchSumParts(cudaStream_t stream, const float* parts, std::size_t members, std::size_t count,
                    float* sums) {
    if (count == 0) return;
    sumFloatsKernel<<<blocksFor(count), kThreads, 0, stream>>>(parts, members, count, sums);
}

void launchSumParts(cudaStream_t stream, const double* parts, std::size_t members,
                    std::size_t count, double* sums) {
    if (count == 0) return;
    sumDoublesKernel<<<blocksFor(count), kThreads, 0, stream>>>(parts, members, count, sums);
}

void launchJoinParts(cudaStream_t stream, const MeshParts& shape, const float* parts,
                     float* whole) {
    const std::size_t count = shape.rows * shape.own * shape.members;
    if (count == 0) return;
    joinPartsKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, parts, whole);
}

void launchTakePart(cudaStream_t stream, const MeshParts& shape, std::size_t index, bool adds,
                    const float* whole, float* part) {
    const std::size_t count = shape.rows * shape.own;
    if (count == 0) return;
    takePartKernel<<<blocksFor(count), kThreads, 0, stream>>>(shape, index, adds, whole, part);
}

}  // namespace lockstep::tensor::cuda
