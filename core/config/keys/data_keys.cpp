// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/data_keys.h"

#include <fmt/format.h>

#include "core/config/keys/augmentation_keys.h"

namespace lockstep::config {

namespace {

constexpr int kLargestSide = 4096;

/// [height, width].
Key<JobSpec> imageSizeKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::PixelSize;
    key.help.minimum = 1;
    key.help.maximum = kLargestSide;
    const KeyHelp help = key.help;
    key.read = [help](const TomlValue& value, JobSpec& spec) -> Problems {
        const auto fits = [](const TomlValue& side) {
            return side.kind == TomlValue::Kind::Integer && side.integer >= 1 &&
                   side.integer <= kLargestSide;
        };
        const auto& sides = value.elements;
        if (value.kind != TomlValue::Kind::Array || sides.size() != 2 || !fits(sides[0]) ||
            !fits(sides[1]))
            return {{placeOf(value),
                     {},
                     fmt::format("is {}, but must be {}", shownValue(value), expectation(help)),
                     "Write for example [32, 32]."}};
        spec.data.imageSize = {static_cast<int>(sides[0].integer),
                               static_cast<int>(sides[1].integer)};
        return {};
    };
    key.write = [](const JobSpec& spec) {
        const ImageSize size = spec.data.imageSize;
        return size == ImageSize{} ? std::string()
                                   : fmt::format("[{}, {}]", size.height, size.width);
    };
    return key;
}

constexpr const char* kAllSamplesWord = "all";

/// "all", or the size of a buffer.
Key<JobSpec> shuffleKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::IntegerOrWord;
    key.help.words = {kAllSamplesWord};
    key.help.minimum = 1;
    key.help.maximum = 1'000'000'000;
    const KeyHelp help = key.help;
    key.read = [help](const TomlValue& value, JobSpec& spec) {
        Problems problems = checkScalar(value, help);
        if (problems.empty())
            spec.data.shuffle.buffer = value.kind == TomlValue::Kind::String
                                           ? ShuffleSpec::kAllSamples
                                           : static_cast<int>(value.integer);
        return problems;
    };
    key.write = [](const JobSpec& spec) {
        const int buffer = spec.data.shuffle.buffer;
        return buffer == ShuffleSpec::kAllSamples ? tomlString(kAllSamplesWord)
                                                  : std::to_string(buffer);
    };
    return key;
}

/// As training.seed, which is its default.
Key<JobSpec> shuffleSeedKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::Integer;
    key.help.minimum = 0;
    const KeyHelp help = key.help;
    key.read = [help](const TomlValue& value, JobSpec& spec) {
        Problems problems = checkScalar(value, help);
        if (problems.empty()) spec.data.shuffle.seed = static_cast<std::uint64_t>(value.integer);
        return problems;
    };
    key.write = [](const JobSpec& spec) {
        const auto& seed = spec.data.shuffle.seed;
        return seed ? std::to_string(*seed) : std::string();
    };
    return key;
}

std::vector<Key<JobSpec>> keysOfOrder() {
    using Spec = JobSpec;
    return {
        named("data.shuffle", "samples",
              "The order of the training samples: all draws each next one from all that are left; "
              "a number from a buffer of so many, as tf.data's shuffle(); 1 leaves them in their "
              "order.",
              shuffleKey()),
        named("data.reshuffle", "",
              "true: every epoch has an order of its own; false: that of the first epoch.",
              flagKey<Spec>(at<&Spec::data, &DataSpec::shuffle, &ShuffleSpec::eachEpoch>)),
        named("data.shuffle_seed", "",
              "Fixes the order of the samples alone; left out, it follows from training.seed.",
              shuffleSeedKey()),
        named("data.drop_remainder", "",
              "Whether the last batch of an epoch is left out where it is smaller than the others.",
              flagKey<Spec>(at<&Spec::data, &DataSpec::dropRemainder>)),
    };
}

std::vector<Key<JobSpec>> keysOfAllData() {
    using Spec = JobSpec;
    return {
        named("data.dataset", "",
              "What is learned: digits is built in, the others are read from files; image_folder "
              "is one folder of JPEG and PNG images a class, table CSV files, text text files, "
              "arrays .npy and .npz files.",
              textKey<Spec>(at<&Spec::data, &DataSpec::dataset>, ValueKind::Word,
                            {"digits", "mnist", "idx", "image_folder", "table", "text", "arrays"})),
        named(
            "data.directory", "",
            "Where the data set's files are, relative to the job file; of image_folder also a tar "
            "archive, or FILE.tar:FOLDER.",
            textKey<Spec>(at<&Spec::data, &DataSpec::directory>, ValueKind::Path)),
        named("data.validation_samples", "samples",
              "How many of the last training samples are kept for validation; of image_folder, "
              "in an order that mixes the classes.",
              integerKey<Spec>(at<&Spec::data, &DataSpec::validationSamples>, {0, 1'000'000'000})),
        named(
            "data.cache", "",
            "memory: read whole at the start; none: samples are read from the files as they come; "
            "a path: copied once to that local file, checked, and read from there. Images of "
            "image_folder, and large tables, texts and arrays, are brought into the form that is "
            "trained on once a host, in a file of the user's cache folder (memory, also called "
            "packed) or at that path, or at every start by each process (none).",
            textKey<Spec>(at<&Spec::data, &DataSpec::cache>, ValueKind::Path)),
        named(
            "data.prefetch", "batches",
            "How many batches each replica prepares ahead; 0: as many as fit in 32 MiB, up to 64, "
            "or in 256 MiB one for each thread that augments.",
            integerKey<Spec>(at<&Spec::data, &DataSpec::prefetch>, {0, 4096})),
        named("data.auto_shard", "",
              "How processes share the samples, by tf.data's names: data, which auto is, too (each "
              "reads all and keeps its part of every global batch), off (each sees every sample in "
              "the same order, so an epoch has as many times more steps), file (of table: file i "
              "of data.files is process i's, counted round, which trains on its own files alone; "
              "other data are refused).",
              wordKey<Spec>(at<&Spec::data, &DataSpec::autoShard>, {{"auto", AutoShard::Auto},
                                                                    {"off", AutoShard::Off},
                                                                    {"file", AutoShard::File},
                                                                    {"data", AutoShard::Data}})),
    };
}

std::vector<Key<JobSpec>> keysOfImages() {
    using Spec = JobSpec;
    return {
        named("data.image_size", "",
              "What every image of image_folder is brought to: [height, width] in pixels.",
              imageSizeKey()),
        named("data.color", "",
              "Whether images of image_folder have three channels (rgb) or one (grey).",
              wordKey<Spec>(at<&Spec::data, &DataSpec::color>,
                            {{"rgb", ImageColor::Rgb}, {"grey", ImageColor::Grey}})),
        named("data.validation_directory", "",
              "The validation images of image_folder, with the same class folders; without it, "
              "validation_samples of the training images are taken.",
              textKey<Spec>(at<&Spec::data, &DataSpec::validationDirectory>, ValueKind::Path)),
        named("data.test_directory", "",
              "The test images of image_folder, with the same class folders; without it, the "
              "validation images are the test images.",
              textKey<Spec>(at<&Spec::data, &DataSpec::testDirectory>, ValueKind::Path)),
        named("data.on_error", "",
              "What becomes of images of image_folder, rows of table and samples of arrays that "
              "cannot be read: error ends the start and names them, skip leaves them out and says "
              "how many.",
              wordKey<Spec>(at<&Spec::data, &DataSpec::onError>,
                            {{"error", OnBrokenImage::Error}, {"skip", OnBrokenImage::Skip}})),
    };
}

}  // namespace

std::vector<Key<JobSpec>> dataKeys() {
    std::vector<Key<JobSpec>> keys = keysOfAllData();
    for (Key<JobSpec>& key : keysOfOrder())
        keys.push_back(std::move(key));
    for (Key<JobSpec>& key : keysOfImages())
        keys.push_back(std::move(key));
    keys.push_back(augmentKey());
    for (Key<JobSpec>& key : normalizeKeys())
        keys.push_back(std::move(key));
    return keys;
}

}  // namespace lockstep::config
