// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/augmentation_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/plural.h"
#include "core/config/job/augmentation_facts.h"
#include "core/config/keys/augmentation_options.h"
#include "core/config/lint/known_dataset.h"

namespace lockstep::config {

namespace {

/// Of the job's images, as far as the job file tells.
struct KnownImages {
    std::optional<ImageSize> size;
    std::optional<int> channels;
};

KnownImages imagesOf(const DataSpec& data) {
    if (const auto known = knownDataset(data)) return {ImageSize{known->side, known->side}, 1};
    if (data.dataset == "idx") return {std::nullopt, 1};
    if (data.dataset != "image_folder") return {};
    const int channels = data.color == ImageColor::Grey ? 1 : 3;
    if (data.imageSize == ImageSize{}) return {std::nullopt, channels};
    return {data.imageSize, channels};
}

bool hasNoImages(const DataSpec& data) {
    return data.dataset == "table" || data.dataset == "text";
}

std::string shown(const ImageSize& size) {
    return fmt::format("{} x {}", size.height, size.width);
}

std::string placeOf(std::size_t index) {
    return fmt::format("data.augment[{}]", index);
}

bool isCrop(const AugmentationSpec& change) {
    return change.kind == AugmentationKind::RandomCrop ||
           change.kind == AugmentationKind::RandomResizedCrop;
}

/// Follows the images' size through the changes.
void checkSizes(const std::vector<AugmentationSpec>& changes, const ImageSize& images,
                Report& report) {
    ImageSize size = images;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const AugmentationSpec& change = changes[i];
        if (!isCrop(change)) continue;
        const ImageSize wanted{change.height > 0 ? change.height : images.height,
                               change.width > 0 ? change.width : images.width};
        const ImageSize padded{size.height + 2 * change.padding, size.width + 2 * change.padding};
        const bool isResized = change.kind == AugmentationKind::RandomResizedCrop;
        if (!isResized && (wanted.height > padded.height || wanted.width > padded.width)) {
            report.error(placeOf(i),
                         fmt::format("{} takes {} from images that are {} with their padding",
                                     placeOf(i), shown(wanted), shown(padded)),
                         "Give it a larger padding, or a smaller height and width.");
            return;
        }
        if (!isResized && change.padding == 0 && wanted == size)
            report.warning(
                placeOf(i),
                fmt::format("{} takes {} from images of that size, so it changes nothing",
                            placeOf(i), shown(wanted)),
                "Give it a padding, for example 4, or remove it.");
        size = wanted;
    }
    if (size != images)
        report.error("data.augment",
                     fmt::format("data.augment gives images of {}, but the network takes {}, as "
                                 "validation and tests give them",
                                 shown(size), shown(images)),
                     "Leave out height and width, which are the images' own, or use "
                     "random_resized_crop.");
}

bool takesShares(LossKind loss) {
    return loss == LossKind::Auto || loss == LossKind::SparseCategoricalCrossEntropy ||
           loss == LossKind::CategoricalCrossEntropy;
}

/// A sample is of two classes at most, and only a cross-entropy of classes knows shares of them.
void checkMixing(const JobSpec& spec, Report& report) {
    const auto& changes = spec.data.augment;
    const auto first = std::ranges::find_if(changes, mixes);
    if (first == changes.end()) return;
    const auto index = static_cast<std::size_t>(first - changes.begin());
    const auto second = std::find_if(first + 1, changes.end(), mixes);
    if (second != changes.end())
        report.error(
            placeOf(static_cast<std::size_t>(second - changes.begin())),
            fmt::format("{} is a {} behind the {} of {}: a sample is mixed with one other only",
                        placeOf(static_cast<std::size_t>(second - changes.begin())),
                        typeOf(second->kind).name, typeOf(first->kind).name, placeOf(index)),
            "Keep one of them.");
    if (!takesShares(spec.training.loss.kind))
        report.error(placeOf(index),
                     fmt::format("{} is a {}, which gives a sample shares of two classes, but the "
                                 "loss takes none",
                                 placeOf(index), typeOf(first->kind).name),
                     "Remove it, or set training.loss to \"categorical_crossentropy\".");
    if (spec.training.loss.ignoredClass >= 0)
        report.error(
            placeOf(index),
            fmt::format("{} is a {}, which gives a sample shares of two classes, but "
                        "training.ignored_class is {}: a share of it can neither count "
                        "nor be left out",
                        placeOf(index), typeOf(first->kind).name, spec.training.loss.ignoredClass),
            "Remove one of the two.");
    if (spec.training.globalBatchSize == 1)
        report.warning(placeOf(index),
                       fmt::format("{} mixes the samples of a global batch, which has one only",
                                   placeOf(index)),
                       "Use a larger training.global_batch_size.");
}

}  // namespace

void checkAugmentation(const JobSpec& spec, Report& report) {
    const DataSpec& data = spec.data;
    if (data.augment.empty()) return;
    if (hasNoImages(data)) {
        report.error("data.augment",
                     fmt::format("data.augment changes images, but the data set \"{}\" has none",
                                 data.dataset),
                     "Remove it.");
        return;
    }
    if (const auto size = imagesOf(data).size) checkSizes(data.augment, *size, report);
    checkMixing(spec, report);
}

void checkNormalization(const JobSpec& spec, Report& report) {
    const DataSpec& data = spec.data;
    const NormalizeSpec& normalize = data.normalize;
    if (normalize.mean.empty() && normalize.deviation.empty()) return;
    if (hasNoImages(data)) {
        report.error("data.normalize",
                     fmt::format("data.normalize is for images, but the data set \"{}\" has none",
                                 data.dataset),
                     "Remove it.");
        return;
    }
    const auto channels = imagesOf(data).channels;
    if (!channels) return;
    for (const auto& [key, numbers] : {std::pair{"data.normalize.mean", &normalize.mean},
                                       std::pair{"data.normalize.std", &normalize.deviation}})
        if (numbers->size() > 1 && numbers->size() != static_cast<std::size_t>(*channels))
            report.error(
                key,
                fmt::format("{} has {}, but the images have {}", key,
                            counted(numbers->size(), "number"), counted(*channels, "channel")),
                "Give one for each channel, or one for all.");
}

}  // namespace lockstep::config
