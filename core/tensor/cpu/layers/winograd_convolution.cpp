// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/winograd_convolution.h"

#include <algorithm>
#include <memory>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cpu/gemm.h"
#include "core/tensor/cpu/layers/winograd_tiles.h"
#include "core/tensor/device.h"

namespace lockstep::tensor {
namespace {

using winograd::kLanes;
using winograd::kPlaces;
using winograd::kPlanes;
using winograd::kReads;
using winograd::kTaps;
using winograd::Lanes;
using winograd::Tiles;

/// Tiles of a block: products of so many rows are long enough, and the planes of few channels stay
/// in a near cache.
std::size_t blockOf(const ConvolutionShape& shape) {
    constexpr std::size_t kManyChannels = 256;
    return std::min(shape.channels, shape.filters) > kManyChannels ? 64 : 128;
}

constexpr std::size_t kWindow = kTaps * kTaps;

/// Planes begin a cache line further than whole pages, so that they do not all fall into one place
/// of a cache.
std::size_t planeStride(std::size_t rows, std::size_t columns) {
    return rows * columns + kLanes;
}

/// Numbers of a convolution's planes, one kind after the other.
struct PlaneSizes {
    std::size_t weights;
    std::size_t images;
    std::size_t results;

    explicit PlaneSizes(const ConvolutionShape& shape)
        : weights(kPlanes * planeStride(shape.channels, shape.filters)),
          images(kPlanes * planeStride(blockOf(shape), shape.channels)),
          results(kPlanes * planeStride(blockOf(shape), shape.filters)) {}
    [[nodiscard]] std::size_t bytes() const { return (weights + images + results) * sizeof(float); }
};

/// As large as the largest convolution of its thread needs.
struct ThreadsPlanes {
    std::unique_ptr<Device> device = openCpuDevice();
    Buffer memory;
};

ThreadsPlanes& threadsPlanes() {
    thread_local ThreadsPlanes planes;
    return planes;
}

/// The planes of a pass.
struct Planes {
    float* weights;
    float* source;
    float* result;
};

Result<void> reserveFor(const ConvolutionShape& shape) {
    const std::size_t wanted = PlaneSizes(shape).bytes();
    ThreadsPlanes& planes = threadsPlanes();
    if (planes.memory.bytes() >= wanted) return {};
    planes.memory = {};  // the old one is not kept meanwhile
    planes.memory = TRY(planes.device->allocate(wanted));
    return {};
}

Planes planesFor(const ConvolutionShape& shape) {
    LS_CHECK(reserveFor(shape), "who computes on a thread of its own reserves there");
    const PlaneSizes sizes(shape);
    const Buffer& memory = threadsPlanes().memory;
    float* const begin = memory.as<float>().data();
    return {begin, begin + sizes.weights, begin + sizes.weights + sizes.images};
}

/// The sides of a window's tensor: [filters, channels, 3, 3].
struct Sides {
    std::size_t filters;
    std::size_t channels;
};

/// Sixteen windows, tap by tap; those of neighbouring channels lie `distance` apart.
LS_LOOP void gatherTaps(const float* weight, std::size_t distance, bool turned, Lanes* taps) {
    float numbers[kWindow * kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        for (std::size_t tap = 0; tap < kWindow; ++tap)
            numbers[(turned ? kWindow - 1 - tap : tap) * kLanes + lane] =
                weight[lane * distance + tap];
    for (std::size_t tap = 0; tap < kWindow; ++tap)
        winograd::load(numbers + tap * kLanes, taps + tap);
}

LS_LOOP void putTaps(const Lanes* taps, float* planes, std::size_t stride) {
    Lanes half[kReads * kTaps];  // column by column
    for (std::size_t i = 0; i < kTaps; ++i)
        winograd::tapTransform(taps + i * kTaps, half + i, kTaps);
    for (std::size_t j = 0; j < kReads; ++j) {
        Lanes column[kReads];
        winograd::tapTransform(half + j * kTaps, column, 1);
        for (std::size_t i = 0; i < kReads; ++i)
            winograd::store(column + i, planes + (i * kReads + j) * stride);
    }
}

/// Planes [channels, filters]; for the gradient of the input [filters, channels], of windows that
/// are turned by half.
LS_LOOP void weightsLoop(Sides sides, const float* weight, bool backward, float* planes) {
    const std::size_t rows = backward ? sides.filters : sides.channels;
    const std::size_t columns = backward ? sides.channels : sides.filters;
    const std::size_t ofRow = backward ? sides.channels * kWindow : kWindow;
    const std::size_t ofColumn = backward ? kWindow : sides.channels * kWindow;
    const std::size_t stride = sides.filters * sides.channels + kLanes;
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; column += kLanes) {
            Lanes taps[kWindow];
            gatherTaps(weight + row * ofRow + column * ofColumn, ofColumn, backward, taps);
            putTaps(taps, planes + row * columns + column, stride);
        }
}

/// From planes [filters, channels] to the gradient of the window.
LS_LOOP void weightGradientLoop(Sides sides, const float* planes, float* dWeight) {
    const std::size_t stride = sides.filters * sides.channels + kLanes;
    for (std::size_t at = 0; at < sides.filters * sides.channels; at += kLanes) {
        Lanes half[kTaps * kReads];  // row by row
        for (std::size_t j = 0; j < kReads; ++j) {
            Lanes column[kReads];
            for (std::size_t i = 0; i < kReads; ++i)
                winograd::load(planes + (i * kReads + j) * stride + at, column + i);
            winograd::toTaps(column, half + j, kReads);
        }
        float numbers[kWindow * kLanes];
        for (std::size_t i = 0; i < kTaps; ++i) {
            Lanes row[kTaps];
            winograd::toTaps(half + i * kReads, row, 1);
            for (std::size_t j = 0; j < kTaps; ++j)
                winograd::store(row + j, numbers + (i * kTaps + j) * kLanes);
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            for (std::size_t tap = 0; tap < kWindow; ++tap)
                dWeight[(at + lane) * kWindow + tap] = numbers[tap * kLanes + lane];
    }
}

LS_LOOP void readImages(const Tiles& tiles, std::size_t first, std::size_t count, float* images,
                        float* planes) {
    winograd::toPlanes<kReads, winograd::imageTransform>(tiles, first, count, images, planes);
}
LS_LOOP void readGradients(const Tiles& tiles, std::size_t first, std::size_t count, float* images,
                           float* planes) {
    winograd::toPlanes<kPlaces, winograd::placeTransform>(tiles, first, count, images, planes);
}
LS_LOOP void writeResults(const Tiles& tiles, std::size_t first, std::size_t count,
                          const float* planes, const winograd::Finish& with, float* images) {
    winograd::fromPlanes(tiles, first, count, planes, with, images);
}

/// Images of which a pass reads or writes tiles for `places` results, `block` at a time.
Tiles tilesOf(std::size_t block, Extent image, std::size_t channels, Extent places, Extent before) {
    return {.height = image[0],
            .width = image[1],
            .channels = channels,
            .top = -static_cast<std::ptrdiff_t>(before[0]),
            .left = -static_cast<std::ptrdiff_t>(before[1]),
            .rows = (places[0] + kPlaces - 1) / kPlaces,
            .columns = (places[1] + kPlaces - 1) / kPlaces,
            .block = block,
            .stride = planeStride(block, channels)};
}

/// The convolution of `source` to `result` by weights that lie in planes.
void convolve(VectorIsa isa, const Tiles& source, const Tiles& result, std::size_t images,
              const Planes& planes, const winograd::Finish& with, std::span<const float> from,
              std::span<float> to) {
    const std::size_t tiles = images * result.perImage();
    const std::size_t stride = planeStride(source.channels, result.channels);
    for (std::size_t first = 0; first < tiles; first += result.block) {
        const std::size_t count = std::min(result.block, tiles - first);
        // Read alone: one type of tiles serves what is read and what is written.
        runLoop<readImages>(isa, source, first, count, const_cast<float*>(from.data()),
                            planes.source);
        for (std::size_t plane = 0; plane < kPlanes; ++plane)
            multiply({planes.source + plane * source.stride, count, source.channels},
                     {planes.weights + plane * stride, source.channels, result.channels},
                     {planes.result + plane * result.stride, count, result.channels});
        runLoop<writeResults>(isa, result, first, count, static_cast<const float*>(planes.result),
                              with, to.data());
    }
}

}  // namespace

bool WinogradConvolution::takes(const ConvolutionShape& shape) {
    const Window& window = shape.window;
    return window.size == Extent{kTaps, kTaps} && window.strides == Extent{1, 1} &&
           window.dilation == Extent{1, 1} && shape.groups == 1 && shape.channels % kLanes == 0 &&
           shape.filters % kLanes == 0 && shape.placeCount() > 0;
}

WinogradConvolution::WinogradConvolution(const ConvolutionShape& shape, VectorIsa isa)
    : shape_(shape), isa_(isa) {
    LS_CHECK(takes(shape), "a convolution of another shape is not one of tiles");
}

Result<void> WinogradConvolution::reserve() const {
    return reserveFor(shape_);
}

std::size_t WinogradConvolution::bytes() const {
    return PlaneSizes(shape_).bytes();
}

void WinogradConvolution::forward(std::span<const float> x, std::span<const float> weight,
                                  std::span<const float> bias, std::span<float> y,
                                  bool relu) const {
    const Planes planes = planesFor(shape_);
    runLoop<weightsLoop>(isa_, Sides{shape_.filters, shape_.channels}, weight.data(), false,
                         planes.weights);
    const Extent places = shape_.places();
    const Tiles source = tilesOf(blockOf(shape_), {shape_.height, shape_.width}, shape_.channels,
                                 places, shape_.window.before);
    const Tiles result = tilesOf(blockOf(shape_), places, shape_.filters, places, {0, 0});
    const winograd::Finish with{.bias = bias.empty() ? nullptr : bias.data(), .relu = relu};
    convolve(isa_, source, result, shape_.batch, planes, with, x, y);
}

/// A convolution of dy by the windows turned by half, padded so that it gives the image's size.
void WinogradConvolution::inputGradient(std::span<const float> dy, std::span<const float> weight,
                                        std::span<float> dx) const {
    const Planes planes = planesFor(shape_);
    runLoop<weightsLoop>(isa_, Sides{shape_.filters, shape_.channels}, weight.data(), true,
                         planes.weights);
    const Extent image{shape_.height, shape_.width};
    Tiles source =
        tilesOf(blockOf(shape_), shape_.places(), shape_.filters, image, {kTaps - 1, kTaps - 1});
    source.top += static_cast<std::ptrdiff_t>(shape_.window.before[0]);
    source.left += static_cast<std::ptrdiff_t>(shape_.window.before[1]);
    const Tiles result = tilesOf(blockOf(shape_), image, shape_.channels, image, {0, 0});
    const Planes turned{planes.weights, planes.result, planes.source};  // filters come in
    convolve(isa_, source, result, shape_.batch, turned, {.bias = nullptr, .relu = false}, dy, dx);
}

void WinogradConvolution::weightGradient(std::span<const float> x, std::span<const float> dy,
                                         std::span<float> dWeight) const {
    const Planes planes = planesFor(shape_);
    const Extent places = shape_.places();
    const Tiles source = tilesOf(blockOf(shape_), {shape_.height, shape_.width}, shape_.channels,
                                 places, shape_.window.before);
    const Tiles result = tilesOf(blockOf(shape_), places, shape_.filters, places, {0, 0});
    const std::size_t tiles = shape_.batch * result.perImage();
    const std::size_t stride = planeStride(shape_.channels, shape_.filters);
    for (std::size_t first = 0; first < tiles; first += result.block) {
        const std::size_t count = std::min(result.block, tiles - first);
        runLoop<readImages>(isa_, source, first, count, const_cast<float*>(x.data()),
                            planes.source);
        runLoop<readGradients>(isa_, result, first, count, const_cast<float*>(dy.data()),
                               planes.result);
        for (std::size_t plane = 0; plane < kPlanes; ++plane)
            multiplyParts(
                {planes.result + plane * result.stride, count, shape_.filters, shape_.filters},
                {planes.source + plane * source.stride, count, shape_.channels, shape_.channels},
                {.transposeA = true, .adds = first > 0},
                {planes.weights + plane * stride, shape_.filters, shape_.channels,
                 shape_.channels});
    }
    runLoop<weightGradientLoop>(isa_, Sides{shape_.filters, shape_.channels},
                                static_cast<const float*>(planes.weights), dWeight.data());
}

}  // namespace lockstep::tensor
