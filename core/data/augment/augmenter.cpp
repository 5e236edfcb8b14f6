// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/augmenter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/config/job/augmentation_facts.h"
#include "core/data/augment/change_image.h"
#include "core/data/augment/erase.h"

namespace lockstep::data {

using config::AugmentationKind;
using config::AugmentationSpec;

namespace {

ImageShape shapeBehind(const AugmentationSpec& change, const ImageShape& from,
                       const ImageShape& images) {
    if (change.kind != AugmentationKind::RandomCrop &&
        change.kind != AugmentationKind::RandomResizedCrop)
        return from;
    return {change.height > 0 ? change.height : images.height,
            change.width > 0 ? change.width : images.width, from.channels};
}

bool fits(const AugmentationSpec& change, const ImageShape& from, const ImageShape& to) {
    return change.kind != AugmentationKind::RandomCrop ||
           (to.height <= from.height + 2 * change.padding &&
            to.width <= from.width + 2 * change.padding);
}

/// Both parts' shares, in 1/65536 of the sample's own.
std::uint32_t mixInto(const AugmentationSpec& change, const ImageView& partner, Draws& draws,
                      std::uint8_t* image) {
    constexpr std::uint32_t kWhole = 1 << 16;
    if (change.kind == AugmentationKind::MixUp) {
        const auto share =
            static_cast<std::uint32_t>(std::lround(draws.beta(change.alpha) * kWhole));
        blend(partner, share, image);
        return share;
    }
    // As Keras: never a distribution without a density.
    const double alpha = std::min(draws.between(change.range) + 1e-6, 1.0);
    const double side = std::sqrt(1 - draws.beta(alpha));
    const ImageShape& shape = partner.shape;
    const Box box = drawnBox(shape, side, side, draws);
    paste(partner, box, image);
    const std::int64_t pixels = std::int64_t{shape.height} * shape.width;
    return static_cast<std::uint32_t>(
        kWhole - (std::int64_t{box.height} * box.width * kWhole + pixels / 2) / pixels);
}

}  // namespace

/// The way of one sample through the first changes.
class Augmenter::Run {
public:
    Run(const Augmenter& augmenter, const SamplePlace& place, const ReadImage& read,
        Workspace& workspace)
        : augmenter_(augmenter),
          place_(place),
          read_(read),
          workspace_(workspace),
          seed_(epochSeed(augmenter.seed_, place.epoch)) {}

    /// Where the image lies behind the first `count` changes: in `buffers`, or where it was read.
    const std::uint8_t* run(std::uint32_t sample, std::size_t count,
                            std::array<std::vector<std::uint8_t>, 2>& buffers) {
        const std::uint8_t* image = read_(sample).data();
        for (std::size_t i = 0; i < count; ++i) {
            const Change& change = augmenter_.changes_[i];
            Draws draws(seed_, i, sample);
            const bool isLeftOut =
                change.spec.probability < 1 && draws.uniform() >= change.spec.probability;
            if (isLeftOut && change.from == change.to) continue;
            std::vector<std::uint8_t>& next = buffers[image == buffers[0].data() ? 1 : 0];
            next.resize(change.to.bytes());
            if (config::mixes(change.spec))
                mix(i, image, draws, next);
            else if (!changeImage(change.spec, {change.from, image}, change.to,
                                  isLeftOut ? nullptr : &draws, next.data()))
                continue;
            image = next.data();
        }
        return image;
    }
    [[nodiscard]] Mixture mixture() const { return mixture_; }

private:
    /// The partner has come as far as the sample itself.
    void mix(std::size_t index, const std::uint8_t* image, Draws& draws,
             std::vector<std::uint8_t>& out) {
        const Change& change = augmenter_.changes_[index];
        const auto& batch = place_.globalBatch;
        const std::uint32_t partner = batch[draws.below(static_cast<std::uint32_t>(batch.size()))];
        std::copy_n(image, change.from.bytes(), out.begin());
        const std::uint8_t* other = run(partner, index, workspace_.partners);
        const std::uint32_t share = mixInto(change.spec, {change.from, other}, draws, out.data());
        mixture_ = {partner, static_cast<float>(share) * 0x1.0p-16F};
    }

    const Augmenter& augmenter_;
    const SamplePlace& place_;
    const ReadImage& read_;
    Workspace& workspace_;
    std::uint64_t seed_;
    Mixture mixture_;
};

Result<Augmenter> Augmenter::make(std::vector<AugmentationSpec> changes, const ImageShape& shape,
                                  std::uint64_t seed) {
    std::vector<Change> all;
    ImageShape now = shape;
    if (std::ranges::count_if(changes, config::mixes) > 1)
        return fail(ErrorCode::BadInput,
                    "data.augment mixes each sample twice: with one other only it can be mixed",
                    "Keep one of mix_up and cut_mix.");
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const ImageShape next = shapeBehind(changes[i], now, shape);
        if (!fits(changes[i], now, next))
            return fail(ErrorCode::BadInput,
                        fmt::format("data.augment[{}] takes {} x {} from images that are {} x {} "
                                    "with their padding",
                                    i, next.height, next.width, now.height + 2 * changes[i].padding,
                                    now.width + 2 * changes[i].padding),
                        "Give it a larger padding, or a smaller height and width.");
        all.push_back({changes[i], now, next});
        now = next;
    }
    if (now != shape)
        return fail(ErrorCode::BadInput,
                    fmt::format("data.augment gives images of {} x {}, but the network takes "
                                "{} x {}, as validation and tests give them",
                                now.height, now.width, shape.height, shape.width),
                    "Leave out height and width, which are the images' own.");
    return Augmenter(std::move(all), shape, seed);
}

bool Augmenter::mixesSamples() const {
    return std::ranges::any_of(changes_,
                               [](const Change& change) { return config::mixes(change.spec); });
}

Mixture Augmenter::apply(const SamplePlace& place, const ReadImage& read, Workspace& workspace,
                         std::uint8_t* out) const {
    Run run(*this, place, read, workspace);
    const std::uint8_t* image = run.run(place.sample, changes_.size(), workspace.own);
    std::copy_n(image, shape_.bytes(), out);
    return run.mixture();
}

}  // namespace lockstep::data
