// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/im2col_convolution.h"

#include <algorithm>

#include "core/tensor/cpu/gemm.h"
#include "core/tensor/cpu/kernels.h"

namespace lockstep::tensor {

Im2colConvolution::Im2colConvolution(const ConvolutionShape& shape)
    : shape_(shape),
      columns_(shape.placeCount() * depth()),
      weight_(shape.filtersOfGroup() * depth()),
      total_(weight_.size()),
      result_(shape.placeCount() * shape.filtersOfGroup()) {}

std::size_t Im2colConvolution::depth() const {
    return shape_.window.size[0] * shape_.window.size[1] * shape_.channelsOfGroup();
}

template <typename Pixels, typename Visit>
void Im2colConvolution::forEachTap(Pixels* image, std::size_t group, Visit visit) {
    const Window& window = shape_.window;
    const Extent places = shape_.places();
    const std::size_t channels = shape_.channelsOfGroup();
    float* part = columns_.data();
    for (std::size_t row = 0; row < places[0]; ++row)
        for (std::size_t column = 0; column < places[1]; ++column)
            for (std::size_t i = 0; i < window.size[0]; ++i)
                for (std::size_t j = 0; j < window.size[1]; ++j, part += channels) {
                    const std::size_t y = window.position(0, row, i);
                    const std::size_t x = window.position(1, column, j);
                    const bool isInside = y < shape_.height && x < shape_.width;
                    const std::size_t pixel = (y * shape_.width + x) * shape_.channels;
                    visit(isInside ? image + pixel + group * channels : nullptr, part);
                }
}

void Im2colConvolution::gatherColumns(const float* image, std::size_t group) {
    const std::size_t channels = shape_.channelsOfGroup();
    forEachTap(image, group, [channels](const float* pixel, float* part) {
        if (pixel != nullptr)
            std::copy_n(pixel, channels, part);
        else
            std::fill_n(part, channels, 0.0F);
    });
}

void Im2colConvolution::gatherWeight(std::span<const float> weight, std::size_t group) {
    const std::size_t taps = shape_.window.size[0] * shape_.window.size[1];
    const std::size_t channels = shape_.channelsOfGroup();
    const float* from = weight.data() + group * weight_.size();
    for (std::size_t filter = 0; filter < shape_.filtersOfGroup(); ++filter)
        for (std::size_t c = 0; c < channels; ++c)
            for (std::size_t tap = 0; tap < taps; ++tap)
                weight_[(filter * taps + tap) * channels + c] = *from++;
}

void Im2colConvolution::gatherResult(const float* dyOfImage, std::size_t group) {
    const std::size_t filters = shape_.filtersOfGroup();
    const float* from = dyOfImage + group * filters;
    for (std::size_t place = 0; place < shape_.placeCount(); ++place)
        std::copy_n(from + place * shape_.filters, filters, result_.data() + place * filters);
}

void Im2colConvolution::forward(std::span<const float> x, std::span<const float> weight,
                                std::span<const float> bias, std::span<float> y) {
    const std::size_t filters = shape_.filtersOfGroup();
    const std::size_t places = shape_.placeCount();
    for (std::size_t group = 0; group < shape_.groups; ++group) {
        gatherWeight(weight, group);
        for (std::size_t n = 0; n < shape_.batch; ++n) {
            gatherColumns(x.data() + n * shape_.imageSize(), group);
            multiplyByTransposed({columns_.data(), places, depth()},
                                 {weight_.data(), filters, depth()},
                                 {result_.data(), places, filters});
            float* to = y.data() + n * places * shape_.filters + group * filters;
            for (std::size_t place = 0; place < places; ++place)
                std::copy_n(result_.data() + place * filters, filters, to + place * shape_.filters);
        }
    }
    if (!bias.empty())
        bestKernels().addBias(y.data(), bias.data(), shape_.batch * places, shape_.filters);
}

void Im2colConvolution::weightGradient(std::span<const float> x, std::span<const float> dy,
                                       std::span<float> dWeight) {
    const std::size_t taps = shape_.window.size[0] * shape_.window.size[1];
    const std::size_t channels = shape_.channelsOfGroup();
    const std::size_t filters = shape_.filtersOfGroup();
    const std::size_t places = shape_.placeCount();
    for (std::size_t group = 0; group < shape_.groups; ++group) {
        std::ranges::fill(total_, 0.0F);
        for (std::size_t n = 0; n < shape_.batch; ++n) {
            gatherColumns(x.data() + n * shape_.imageSize(), group);
            gatherResult(dy.data() + n * places * shape_.filters, group);
            multiplyTransposedBy({result_.data(), places, filters},
                                 {columns_.data(), places, depth()},
                                 {weight_.data(), filters, depth()});
            for (std::size_t i = 0; i < total_.size(); ++i)
                total_[i] += weight_[i];
        }
        float* to = dWeight.data() + group * total_.size();
        for (std::size_t filter = 0; filter < filters; ++filter)
            for (std::size_t c = 0; c < channels; ++c)
                for (std::size_t tap = 0; tap < taps; ++tap)
                    *to++ = total_[(filter * taps + tap) * channels + c];
    }
}

void Im2colConvolution::inputGradient(std::span<const float> dy, std::span<const float> weight,
                                      std::span<float> dx) {
    const std::size_t filters = shape_.filtersOfGroup();
    const std::size_t channels = shape_.channelsOfGroup();
    const std::size_t places = shape_.placeCount();
    std::ranges::fill(dx, 0.0F);
    for (std::size_t group = 0; group < shape_.groups; ++group) {
        gatherWeight(weight, group);
        for (std::size_t n = 0; n < shape_.batch; ++n) {
            gatherResult(dy.data() + n * places * shape_.filters, group);
            multiply({result_.data(), places, filters}, {weight_.data(), filters, depth()},
                     {columns_.data(), places, depth()});
            forEachTap(dx.data() + n * shape_.imageSize(), group,
                       [channels](float* pixel, const float* part) {
                           if (pixel == nullptr) return;
                           for (std::size_t c = 0; c < channels; ++c)
                               pixel[c] += part[c];
                       });
        }
    }
}

}  // namespace lockstep::tensor
