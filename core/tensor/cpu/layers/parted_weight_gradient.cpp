// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/parted_weight_gradient.h"

#include <algorithm>
#include <functional>

#include "core/base/try.h"

namespace lockstep::tensor {

namespace {

/// So many places are added up in one go. Of fewer the additions between parts begin to cost.
constexpr std::size_t kPlaces = 256;

std::size_t imagesOfPart(const ConvolutionShape& shape) {
    const std::size_t places = std::max<std::size_t>(shape.placeCount(), 1);
    return std::min((kPlaces + places - 1) / places, shape.batch);
}

ConvolutionShape ofImages(ConvolutionShape shape, std::size_t images) {
    shape.batch = images;
    return shape;
}

}  // namespace

Result<std::unique_ptr<PartedWeightGradient>> PartedWeightGradient::make(
    const ConvolutionShape& shape) {
    constexpr auto kPass = ConvolutionPass::WeightGradient;
    std::unique_ptr<PartedWeightGradient> made(
        new PartedWeightGradient(shape, imagesOfPart(shape)));
    made->whole_ = TRY(DnnlConvolution::make(ofImages(shape, made->images_), kPass));
    // oneDNN's reference loops are a hundred times slower than a product of matrices.
    if (!made->whole_ || made->whole_->isReference())
        return std::unique_ptr<PartedWeightGradient>();
    if (const std::size_t rest = shape.batch % made->images_; rest > 0) {
        made->last_ = TRY(DnnlConvolution::make(ofImages(shape, rest), kPass));
        if (!made->last_) return std::unique_ptr<PartedWeightGradient>();
    }
    if (made->images_ < shape.batch) made->part_.resize(shape.weightSize());
    return made;
}

void PartedWeightGradient::run(std::span<const float> x, std::span<const float> dy,
                               std::span<float> dWeight) {
    const std::size_t results = shape_.placeCount() * shape_.filters;
    for (std::size_t first = 0; first < shape_.batch; first += images_) {
        const std::size_t images = std::min(images_, shape_.batch - first);
        const std::span<float> to = first == 0 ? dWeight : std::span(part_);
        (images == images_ ? whole_ : last_)
            ->weightGradient(x.subspan(first * shape_.imageSize(), images * shape_.imageSize()),
                             dy.subspan(first * results, images * results), to);
        if (first > 0) std::ranges::transform(dWeight, part_, dWeight.begin(), std::plus());
    }
}

}  // namespace lockstep::tensor
