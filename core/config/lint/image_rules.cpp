// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/image_rules.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace lockstep::config {

namespace {

void checkWhatIsTestedOn(const DataSpec& data, Report& report) {
    const bool hasValidation = !data.validationDirectory.empty();
    if (hasValidation && report.isWritten("data.validation_samples") &&
        data.validationSamples != DataSpec{}.validationSamples)
        report.warning(
            "data.validation_samples",
            fmt::format("data.validation_samples is {}, but data.validation_directory is given: "
                        "its images are the validation set, and all others are trained on",
                        data.validationSamples),
            "Remove one of the two.");
    if (hasValidation && data.validationSplit)
        report.warning(
            "data.validation_split",
            fmt::format("data.validation_split is {}, but data.validation_directory is given: its "
                        "images are the validation set, and all others are trained on",
                        *data.validationSplit),
            "Remove one of the two.");
    if (!data.testDirectory.empty()) return;
    if (!hasValidation && data.validationSplit.value_or(data.validationSamples) == 0)
        report.error("data.validation_samples",
                     "data.validation_samples is 0, and neither data.validation_directory nor "
                     "data.test_directory is given: there is nothing to test on",
                     "Give one of the three.");
    else
        report.add(Severity::Note, "data.test_directory",
                   "data.test_directory is not given: the validation images are the test images, "
                   "too",
                   "Set it to a folder of images that nothing else is decided by.");
}

}  // namespace

void checkImages(const JobSpec& spec, Report& report) {
    const DataSpec& data = spec.data;
    if (data.dataset != "image_folder") return;
    if (data.imageSize == ImageSize{})
        report.error("data.image_size",
                     "data.image_size is missing, but the data set \"image_folder\" needs it: its "
                     "images may be of any size",
                     "Set it to the [height, width] that every image is brought to, for example "
                     "[32, 32].");
    if (data.cache == "none")
        report.warning("data.cache",
                       "data.cache is \"none\": every process decodes all images at every start",
                       "Leave it out, and they are decoded once a host.");
    checkWhatIsTestedOn(data, report);
}

void checkImageKeysAreUsed(const JobSpec& spec, Report& report) {
    if (spec.data.dataset == "image_folder") return;
    const DataSpec& data = spec.data;
    const DataSpec defaults;
    // A resolved job file writes keys that nobody asked for, with their defaults.
    const std::array<std::pair<const char*, bool>, 4> keys = {{
        {"data.image_size", data.imageSize != defaults.imageSize},
        {"data.color", data.color != defaults.color},
        {"data.validation_directory", !data.validationDirectory.empty()},
        {"data.test_directory", !data.testDirectory.empty()},
    }};
    for (const auto& [key, isChanged] : keys)
        if (isChanged)
            report.warning(key,
                           fmt::format("{} is given, but the data set is \"{}\", which ignores it",
                                       key, spec.data.dataset),
                           "Remove it, or set data.dataset to \"image_folder\".");
}

}  // namespace lockstep::config
