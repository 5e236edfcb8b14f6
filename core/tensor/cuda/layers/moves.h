// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

// Numbers that only come to another place, and what undoes it:
// core/tensor/cpu/layers/image_moves.h.
namespace lockstep::tensor::cuda {

/// Images within larger images: [samples, height, width, channels], the smaller one's corner at
/// (top, left) of the larger.
struct InnerImage {
    std::size_t samples = 0;
    std::int32_t height = 1;
    std::int32_t width = 1;
    std::int32_t channels = 1;
    std::int32_t outerHeight = 1;
    std::int32_t outerWidth = 1;
    std::int32_t top = 0;
    std::int32_t left = 0;
};
/// The larger image: zeros around the smaller.
void launchPad(cudaStream_t stream, const InnerImage& shape, const float* inner, float* outer);
/// The smaller image out of the larger.
void launchCrop(cudaStream_t stream, const InnerImage& shape, const float* outer, float* inner);

struct UpSampledImage {
    std::size_t samples = 0;
    std::int32_t height = 1;  ///< Of the small image.
    std::int32_t width = 1;
    std::int32_t channels = 1;
    std::int32_t rowFactor = 1;
    std::int32_t columnFactor = 1;
};
void launchUpSample(cudaStream_t stream, const UpSampledImage& shape, const float* x, float* y);
/// Sums over what each pixel became, row by row.
void launchUpSampleGradient(cudaStream_t stream, const UpSampledImage& shape, const float* dy,
                            float* dx);

/// y [batch, columns, rows] of x [batch, rows, columns].
void launchTranspose(cudaStream_t stream, std::size_t batch, std::size_t rows, std::size_t columns,
                     const float* x, float* y);

/// Columns [first, first + columns) of rows of `whole` numbers.
struct ColumnPart {
    std::size_t rows = 0;
    std::size_t columns = 1;
    std::size_t first = 0;
    std::size_t whole = 1;
};
void launchPutColumns(cudaStream_t stream, const ColumnPart& part, const float* from, float* whole);
void launchTakeColumns(cudaStream_t stream, const ColumnPart& part, const float* whole, float* to);

}  // namespace lockstep::tensor::cuda
