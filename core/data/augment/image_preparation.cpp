// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/image_preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/job/augmentation_facts.h"
#include "core/data/augment/augmenter.h"

namespace lockstep::data {

namespace {

/// One number for each channel; `other`: what stands for one that is not given.
Result<std::vector<double>> perChannel(std::string_view key, const std::vector<double>& given,
                                       double other, int channels) {
    const auto wanted = static_cast<std::size_t>(channels);
    if (given.size() == wanted) return given;
    if (given.size() <= 1)
        return std::vector<double>(wanted, given.empty() ? other : given.front());
    return fail(ErrorCode::BadInput,
                fmt::format("{} has {}, but the images have {}", key,
                            counted(given.size(), "number"), counted(channels, "channel")),
                "Give one for each channel, or one for all.");
}

Result<void> normalize(const config::NormalizeSpec& spec, Dataset& dataset) {
    const int channels = dataset.train->channels();
    const auto mean = TRY(perChannel("data.normalize.mean", spec.mean, 0, channels));
    const auto deviation = TRY(perChannel("data.normalize.std", spec.deviation, 1, channels));
    for (std::size_t c = 0; c < mean.size(); ++c) {
        dataset.facts.inputScale.push_back(static_cast<float>(1 / deviation[c]));
        dataset.facts.inputOffset.push_back(static_cast<float>(-mean[c] / deviation[c]));
    }
    dataset.fingerprint =
        contentHash(fmt::format("{}\nnormalized by {} and {}", dataset.fingerprint,
                                fmt::join(mean, ", "), fmt::join(deviation, ", ")));
    return {};
}

Result<void> augment(const config::DataSpec& spec, Dataset& dataset) {
    const Split& train = *dataset.train;
    std::ignore =
        TRY(Augmenter::make(spec.augment, {train.height(), train.width(), train.channels()}, 0));
    if (std::ranges::any_of(spec.augment, config::mixes) && train.targetKind != TargetKind::Class)
        return fail(ErrorCode::BadInput,
                    "data.augment mixes samples of two classes, but the data has no classes",
                    "Leave mix_up and cut_mix out.");
    dataset.augment = spec.augment;
    return {};
}

std::string described(const config::NormalizeSpec& spec, const Split& split) {
    std::string text = fmt::format(R"({{"images":{{"size":[{},{}])", split.height(), split.width());
    if (split.channels() == 1 || split.channels() == 3)
        text += fmt::format(R"(,"color":"{}")", split.channels() == 1 ? "grey" : "rgb");
    if (!spec.mean.empty()) text += fmt::format(R"(,"mean":[{}])", fmt::join(spec.mean, ","));
    if (!spec.deviation.empty())
        text += fmt::format(R"(,"std":[{}])", fmt::join(spec.deviation, ","));
    return text + "}}";
}

}  // namespace

Result<void> prepareImages(const config::DataSpec& spec, Dataset& dataset) {
    const bool isNormalized = !spec.normalize.mean.empty() || !spec.normalize.deviation.empty();
    const Split& train = *dataset.train;
    if (train.inputKind != InputKind::Pixels) {
        if (isNormalized || !spec.augment.empty())
            return fail(ErrorCode::BadInput,
                        fmt::format("data.{} is for images, but the data has none",
                                    isNormalized ? "normalize" : "augment"),
                        "Remove it.");
        return {};
    }
    if (!spec.augment.empty()) TRY(augment(spec, dataset));
    if (isNormalized) TRY(normalize(spec.normalize, dataset));
    dataset.preparation = described(spec.normalize, train);
    return {};
}

}  // namespace lockstep::data
