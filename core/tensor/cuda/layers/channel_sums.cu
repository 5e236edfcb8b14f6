// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/channel_sums.h"

#include <algorithm>
#include <bit>

#include "core/tensor/cuda/device_loops.h"

namespace lockstep::tensor::cuda {
namespace {

/// Rows that a chunk has at least; chunks at most, fewer where many columns make blocks enough.
constexpr std::size_t kChunkRows = 128;
constexpr std::size_t kMostChunks = 1024;
constexpr std::size_t kLeastMostChunks = 64;
constexpr std::size_t kEnoughSums = 65536;

/// Threads of a block that adds chunks, beside each other and one below the other.
constexpr unsigned kTotalColumns = 16;
constexpr unsigned kTotalLanes = kThreads / kTotalColumns;

std::size_t chunksOf(std::size_t rows, std::size_t columns) {
    const std::size_t most = std::clamp(kEnoughSums / columns, kLeastMostChunks, kMostChunks);
    return std::clamp((rows + kChunkRows - 1) / kChunkRows, std::size_t{1}, most);
}

struct TermPair {
    double first;
    double second;
};

__device__ TermPair sumOf(const TermPair& a, const TermPair& b) {
    return {a.first + b.first, a.second + b.second};
}

__device__ TermPair termsOf(const ColumnTerms& terms, float dy, float y, float x, float mean,
                            float inverse) {
    if (terms.kind == ColumnTerms::Kind::Values) {
        const auto value = static_cast<double>(x);
        return {value, value * value};
    }
    const bool counts = terms.y == nullptr || y > 0;
    const auto gradient = static_cast<double>(counts ? dy : 0.0F);
    if (terms.kind == ColumnTerms::Kind::GradientAlone) return {gradient, 0};
    return {gradient, gradient * static_cast<double>((x - mean) * inverse)};
}

/// Index of the moments of a number.
__device__ std::size_t momentOf(const ColumnTerms& terms, std::size_t row, std::uint32_t column) {
    if (terms.kind == ColumnTerms::Kind::RowMoments) return row;
    if (terms.kind == ColumnTerms::Kind::GroupMoments)
        return row / terms.places * terms.groups + column / (terms.columns / terms.groups);
    return column;
}

__device__ float numberAt(const float* numbers, std::size_t at) {
    return numbers == nullptr ? 0.0F : numbers[at];
}

__device__ TermPair termsAt(const ColumnTerms& terms, std::size_t row, std::uint32_t column) {
    const std::size_t at = row * terms.columns + column;
    const std::size_t moment = momentOf(terms, row, column);
    return termsOf(terms, numberAt(terms.dy, at), numberAt(terms.y, at), numberAt(terms.x, at),
                   numberAt(terms.mean, moment), numberAt(terms.inverse, moment));
}

__device__ Quad<float> quadAt(const float* numbers, std::size_t at) {
    return numbers == nullptr ? Quad<float>{} : quadsOf(numbers)[at / kQuad];
}

/// What a row has in a quad of columns.
struct QuadTerms {
    Quad<float> dy;
    Quad<float> y;
    Quad<float> x;
};
__device__ QuadTerms quadTermsAt(const ColumnTerms& terms, std::size_t row, std::uint32_t column) {
    const std::size_t at = row * terms.columns + column;
    return {quadAt(terms.dy, at), quadAt(terms.y, at), quadAt(terms.x, at)};
}

struct QuadMoments {
    Quad<float> mean;
    Quad<float> inverse;
};
__device__ QuadMoments momentsAt(const ColumnTerms& terms, std::size_t row, std::uint32_t column) {
    QuadMoments moments{};
    if (terms.mean == nullptr) return moments;
    for (unsigned k = 0; k < kQuad; ++k) {
        const std::size_t at = momentOf(terms, row, column + k);
        moments.mean.values[k] = terms.mean[at];
        moments.inverse.values[k] = terms.inverse[at];
    }
    return moments;
}

__device__ void addQuad(const ColumnTerms& terms, const QuadTerms& quad, const QuadMoments& moments,
                        TermPair* sums) {
    for (unsigned k = 0; k < kQuad; ++k)
        sums[k] =
            sumOf(sums[k], termsOf(terms, quad.dy.values[k], quad.y.values[k], quad.x.values[k],
                                   moments.mean.values[k], moments.inverse.values[k]));
}

/// Rows of the block's chunk.
struct ChunkRows {
    std::size_t begin;
    std::size_t end;
};
__device__ ChunkRows chunkRows(std::size_t rows) {
    const std::size_t perChunk = (rows + gridDim.y - 1) / gridDim.y;
    const std::size_t begin = blockIdx.y * perChunk;
    return {begin, begin + perChunk < rows ? begin + perChunk : rows};
}

/// `sums` of a block: those of its lanes are added, half of them to the other half each time. The
/// total of a column is then the first lane's.
__device__ void addLanes(TermPair* sums, unsigned numbers) {
    const unsigned lane = threadIdx.y;
    for (unsigned width = blockDim.y; width > 1; width /= 2) {
        __syncthreads();
        if (lane >= width / 2) continue;
        TermPair* mine = sums + (lane * blockDim.x + threadIdx.x) * numbers;
        const TermPair* other = mine + width / 2 * blockDim.x * numbers;
        for (unsigned k = 0; k < numbers; ++k)
            mine[k] = sumOf(mine[k], other[k]);
    }
}

/// A block takes neighbouring columns of a chunk; lanes take rows in turn.
__global__ void columnTermsKernel(ColumnTerms terms, double* partial) {
    __shared__ TermPair sums[kThreads];
    const std::uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
    const ChunkRows rows = chunkRows(terms.rows);
    TermPair sum{0, 0};
    for (std::size_t row = rows.begin + threadIdx.y; row < rows.end && column < terms.columns;
         row += blockDim.y)
        sum = sumOf(sum, termsAt(terms, row, column));
    sums[threadIdx.y * blockDim.x + threadIdx.x] = sum;
    addLanes(sums, 1);
    if (threadIdx.y != 0 || column >= terms.columns) return;
    double* to = partial + static_cast<std::size_t>(blockIdx.y) * 2 * terms.columns;
    to[column] = sums[threadIdx.x].first;
    to[terms.columns + column] = sums[threadIdx.x].second;
}

/// The same by quads of columns.
__global__ void columnQuadTermsKernel(ColumnTerms terms, double* partial) {
    __shared__ TermPair sums[kThreads * kQuad];
    const std::uint32_t column = (blockIdx.x * blockDim.x + threadIdx.x) * kQuad;
    const ChunkRows rows = chunkRows(terms.rows);
    TermPair* mine = sums + (threadIdx.y * blockDim.x + threadIdx.x) * kQuad;
    TermPair sum[kQuad] = {};
    const std::size_t end = column < terms.columns ? rows.end : rows.begin;
    const bool byRows = terms.kind == ColumnTerms::Kind::RowMoments ||
                        terms.kind == ColumnTerms::Kind::GroupMoments;
    QuadMoments moments{};
    if (!byRows && end > rows.begin) moments = momentsAt(terms, rows.begin, column);
    // Two rows are on their way at a time.
    std::size_t row = rows.begin + threadIdx.y;
    for (; row + blockDim.y < end; row += 2 * blockDim.y) {
        const std::size_t next = row + blockDim.y;
        const QuadTerms one = quadTermsAt(terms, row, column);
        const QuadTerms other = quadTermsAt(terms, next, column);
        addQuad(terms, one, byRows ? momentsAt(terms, row, column) : moments, sum);
        addQuad(terms, other, byRows ? momentsAt(terms, next, column) : moments, sum);
    }
    if (row < end)
        addQuad(terms, quadTermsAt(terms, row, column),
                byRows ? momentsAt(terms, row, column) : moments, sum);
    for (unsigned k = 0; k < kQuad; ++k)
        mine[k] = sum[k];
    addLanes(sums, kQuad);
    if (threadIdx.y != 0 || column >= terms.columns) return;
    double* to = partial + static_cast<std::size_t>(blockIdx.y) * 2 * terms.columns + column;
    for (unsigned k = 0; k < kQuad; ++k) {
        to[k] = mine[k].first;
        to[terms.columns + k] = mine[k].second;
    }
}

/// A block takes kTotalColumns columns; lanes take chunks in turn.
__global__ void columnTotalsKernel(const double* partial, std::uint32_t chunks,
                                   std::uint32_t columns, double rows, ColumnSums sums) {
    __shared__ TermPair totals[kThreads];
    const std::uint32_t column = blockIdx.x * kTotalColumns + threadIdx.x;
    TermPair sum{0, 0};
    for (std::uint32_t chunk = threadIdx.y; chunk < chunks && column < columns;
         chunk += blockDim.y) {
        const double* from = partial + static_cast<std::size_t>(chunk) * 2 * columns;
        sum = sumOf(sum, {from[column], from[columns + column]});
    }
    totals[threadIdx.y * kTotalColumns + threadIdx.x] = sum;
    addLanes(totals, 1);
    if (firstElement() == 0 && threadIdx.y == 0 && sums.count != nullptr) *sums.count = rows;
    if (threadIdx.y != 0 || column >= columns) return;
    const TermPair total = totals[threadIdx.x];
    if (sums.first != nullptr) sums.first[column] = total.first;
    if (sums.second != nullptr) sums.second[column] = total.second;
    if (sums.firstFloats != nullptr) sums.firstFloats[column] = static_cast<float>(total.first);
    if (sums.secondFloats != nullptr) sums.secondFloats[column] = static_cast<float>(total.second);
}

/// As many columns beside each other, up to a warp's, as there are.
unsigned columnsOfBlock(std::size_t columns) {
    return std::min<unsigned>(kWarp, static_cast<unsigned>(std::bit_ceil(columns)));
}

/// Lanes that have something to do, up to `most`; a power of two, as that is.
unsigned lanesOfBlock(std::size_t rows, unsigned most) {
    return static_cast<unsigned>(
        std::min<std::size_t>(std::bit_ceil(std::max(rows, std::size_t{1})), most));
}

}  // namespace

std::size_t columnSumsScratch(std::size_t mostRows, std::size_t columns) {
    return chunksOf(mostRows, columns) * 2 * columns * sizeof(double);
}

void launchColumnSumsOf(cudaStream_t stream, const ColumnTerms& terms, const ColumnSums& sums,
                        double* scratch) {
    const auto chunks = static_cast<unsigned>(chunksOf(terms.rows, terms.columns));
    const bool byQuads = terms.columns % kQuad == 0;
    const unsigned aside = byQuads ? terms.columns / kQuad : terms.columns;
    const unsigned width = columnsOfBlock(aside);
    const dim3 blocks((aside + width - 1) / width, chunks);
    const dim3 threads(width, lanesOfBlock(terms.rows, kThreads / width));
    if (byQuads)
        columnQuadTermsKernel<<<blocks, threads, 0, stream>>>(terms, scratch);
    else
        columnTermsKernel<<<blocks, threads, 0, stream>>>(terms, scratch);
    columnTotalsKernel<<<(terms.columns + kTotalColumns - 1) / kTotalColumns,
                         dim3(kTotalColumns, lanesOfBlock(chunks, kTotalLanes)), 0, stream>>>(
        scratch, chunks, terms.columns, static_cast<double>(terms.rows), sums);
}

}  // namespace lockstep::tensor::cuda
