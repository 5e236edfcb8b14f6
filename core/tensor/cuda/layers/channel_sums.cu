// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/channel_sums.h"

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

/// Rows that a chunk has at least, and chunks at most.
constexpr std::size_t kChunkRows = 128;
constexpr std::size_t kMostChunks = 128;

std::size_t chunksOf(std::size_t rows) {
    const std::size_t chunks = (rows + kChunkRows - 1) / kChunkRows;
    return chunks < 1 ? 1 : chunks > kMostChunks ? kMostChunks : chunks;
}

struct TermPair {
    double first;
    double second;
};

__device__ TermPair termsAt(const ColumnTerms& terms, std::size_t row, std::uint32_t column) {
    const std::size_t at = row * terms.columns + column;
    if (terms.kind == ColumnTerms::Kind::Values) {
        const auto value = static_cast<double>(terms.x[at]);
        return {value, value * value};
    }
    const bool counts = terms.y == nullptr || terms.y[at] > 0;
    const auto gradient = static_cast<double>(counts ? terms.dy[at] : 0.0F);
    if (terms.kind == ColumnTerms::Kind::GradientAlone) return {gradient, 0};
    std::size_t moment = column;
    if (terms.kind == ColumnTerms::Kind::RowMoments) moment = row;
    if (terms.kind == ColumnTerms::Kind::GroupMoments)
        moment = row / terms.places * terms.groups + column / (terms.columns / terms.groups);
    const float normalized = (terms.x[at] - terms.mean[moment]) * terms.inverse[moment];
    return {gradient, gradient * static_cast<double>(normalized)};
}

/// A block takes kSumColumns columns of a chunk; lanes take rows in turn, and are added in their
/// order.
__global__ void columnTermsKernel(ColumnTerms terms, double* partial) {
    __shared__ double firsts[kSumLanes][kSumColumns];
    __shared__ double seconds[kSumLanes][kSumColumns];
    const std::uint32_t column = blockIdx.x * kSumColumns + threadIdx.x;
    const std::size_t perChunk = (terms.rows + gridDim.y - 1) / gridDim.y;
    const std::size_t begin = blockIdx.y * perChunk;
    const std::size_t end = begin + perChunk < terms.rows ? begin + perChunk : terms.rows;
    TermPair sum{0, 0};
    for (std::size_t row = begin + threadIdx.y; row < end && column < terms.columns;
         row += kSumLanes) {
        const TermPair more = termsAt(terms, row, column);
        sum.first += more.first;
        sum.second += more.second;
    }
    firsts[threadIdx.y][threadIdx.x] = sum.first;
    seconds[threadIdx.y][threadIdx.x] = sum.second;
    __syncthreads();
    if (threadIdx.y != 0 || column >= terms.columns) return;
    TermPair total{0, 0};
    for (unsigned lane = 0; lane < kSumLanes; ++lane) {
        total.first += firsts[lane][threadIdx.x];
        total.second += seconds[lane][threadIdx.x];
    }
    double* to = partial + static_cast<std::size_t>(blockIdx.y) * 2 * terms.columns;
    to[column] = total.first;
    to[terms.columns + column] = total.second;
}

__global__ void columnTotalsKernel(const double* partial, std::uint32_t chunks,
                                   std::uint32_t columns, double rows, ColumnSums sums) {
    for (std::size_t column = firstElement(); column < columns; column += elementStride()) {
        TermPair total{0, 0};
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
            const double* from = partial + static_cast<std::size_t>(chunk) * 2 * columns;
            total.first += from[column];
            total.second += from[columns + column];
        }
        if (sums.first != nullptr) sums.first[column] = total.first;
        if (sums.second != nullptr) sums.second[column] = total.second;
        if (sums.firstFloats != nullptr) sums.firstFloats[column] = static_cast<float>(total.first);
        if (sums.secondFloats != nullptr)
            sums.secondFloats[column] = static_cast<float>(total.second);
    }
    if (firstElement() == 0 && sums.count != nullptr) *sums.count = rows;
}

}  // namespace

std::size_t columnSumsScratch(std::size_t mostRows, std::size_t columns) {
    return chunksOf(mostRows) * 2 * columns * sizeof(double);
}

void launchColumnSumsOf(cudaStream_t stream, const ColumnTerms& terms, const ColumnSums& sums,
                        double* scratch) {
    const auto chunks = static_cast<unsigned>(chunksOf(terms.rows));
    const dim3 blocks((terms.columns + kSumColumns - 1) / kSumColumns, chunks);
    columnTermsKernel<<<blocks, dim3(kSumColumns, kSumLanes), 0, stream>>>(terms, scratch);
    columnTotalsKernel<<<blocksFor(terms.columns), kThreads, 0, stream>>>(
        scratch, chunks, terms.columns, static_cast<double>(terms.rows), sums);
}

}  // namespace lockstep::tensor::cuda
