// SPDX-License-Identifier: Apache-2.0
#include "core/data/load_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>

#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/arrays/load_arrays.h"
#include "core/data/augment/image_preparation.h"
#include "core/data/digits_cache.h"
#include "core/data/finish_dataset.h"
#include "core/data/idx_file.h"
#include "core/data/images/image_folder.h"
#include "core/data/packed/packed_sets.h"
#include "core/data/sample_facts.h"
#include "core/data/source_file.h"
#include "core/data/table/load_table.h"
#include "core/data/text/load_text.h"
#include "core/data/unpacked_cache.h"
#include "core/data/validation_split.h"

namespace lockstep::data {

namespace {

constexpr std::string_view kExpectedFiles =
    "It should hold train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and "
    "t10k-labels-idx1-ubyte, each as it is or with .gz.";

struct FileSet {
    std::filesystem::path trainImages, trainLabels, testImages, testLabels;
};

Result<FileSet> findFiles(const std::filesystem::path& folder) {
    // For people alone: to open what is left of ".." would pass over links.
    const std::string shown = folder.lexically_normal().string();
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        return fail(ErrorCode::BadInput,
                    fmt::format("data.directory: there is no directory {}", shown),
                    std::string(kExpectedFiles));
    FileSet files;
    const std::array<std::pair<const char*, std::filesystem::path*>, 4> wanted = {{
        {kIdxFileNames[0], &files.trainImages},
        {kIdxFileNames[1], &files.trainLabels},
        {kIdxFileNames[2], &files.testImages},
        {kIdxFileNames[3], &files.testLabels},
    }};
    std::vector<std::string> missing;
    for (const auto& [name, place] : wanted) {
        if (auto path = findDataFile(folder, name))
            *place = std::move(*path);
        else
            missing.emplace_back(name);
    }
    if (!missing.empty())
        return fail(ErrorCode::BadInput,
                    fmt::format("data.directory: {} {} missing in {}", joinWords(missing),
                                missing.size() == 1 ? "is" : "are", shown),
                    std::string(kExpectedFiles));
    return files;
}

/// How images are taken from their file.
using ReadImages = std::function<Result<IdxImages>(const std::filesystem::path&)>;

Result<Split> readSplit(const std::filesystem::path& imagesPath,
                        const std::filesystem::path& labelsPath, int classes,
                        const ReadImages& readImages) {
    auto images = TRY(readImages(imagesPath));
    auto labels = TRY(readIdxLabels(labelsPath, classes));
    if (labels.size() != images.count)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} holds {} for the {} of {}", labelsPath.string(),
                                counted(labels.size(), "label"), counted(images.count, "image"),
                                imagesPath.string()),
                    "Fetch both files again, from the same place.");
    return imageSplit(images.count, {images.height, images.width, 1}, std::move(images.pixels),
                      labelBytes(labels));
}

Result<RawSets> readFiles(const FileSet& files, int classes, const ReadImages& readImages,
                          const LoadWatch& watch) {
    TRY(watch.stillWanted());
    auto train = TRY(readSplit(files.trainImages, files.trainLabels, classes, readImages));
    TRY(watch.stillWanted());
    auto test = TRY(readSplit(files.testImages, files.testLabels, classes, readImages));
    if (train.shape != test.shape)
        return fail(
            ErrorCode::BadInput,
            fmt::format("training images are {} x {}, test images {} x {} ({})", train.height(),
                        train.width(), test.height(), test.width(), files.testImages.string()));
    return RawSets{std::move(train), std::move(test)};
}

int highestLabel(const Split& split) {
    int highest = 0;
    for (std::uint32_t i = 0; i < split.count; ++i)
        highest = std::max(highest, int{split.label(i)});
    return highest;
}

std::vector<std::string> numbersBelow(int classes) {
    std::vector<std::string> names;
    for (int label = 0; label < classes; ++label)
        names.push_back(std::to_string(label));
    return names;
}

/// The classes of a data set.
void nameClasses(Dataset& dataset, std::vector<std::string> names) {
    dataset.facts.classes = static_cast<std::int64_t>(names.size());
    dataset.classNames = std::move(names);
}

/// The training samples that validate, where the source has no validation samples of its own.
Result<Dataset> assembleAsAsked(RawSets sets, const config::DataSpec& spec) {
    const bool splitsOff = sets.validation.count == 0;
    if (!splitsOff || !spec.validationSplit)
        return assemble(std::move(sets), spec.validationSamples);
    const auto count = TRY(validationCount(sets.train.count, *spec.validationSplit));
    return assemble(std::move(sets), static_cast<int>(count));
}

/// Images of folders. Their classes' names are theirs, so the fingerprint holds them, too.
Result<Dataset> loadImages(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                           const std::filesystem::path& cacheFolder, const LoadWatch& watch) {
    if (spec.directory.empty())
        return fail(ErrorCode::BadInput,
                    "data.directory is not set; dataset \"image_folder\" is read from there",
                    "Set it to a folder that holds one folder of images a class.");
    auto images = TRY(loadImageFolder(spec, jobFolder, cacheFolder, watch));
    auto dataset = TRY(assembleAsAsked(std::move(images.sets), spec));
    nameClasses(dataset, std::move(images.classNames));
    dataset.notes = std::move(images.notes);
    if (spec.testDirectory.empty()) {
        if (dataset.validation->count == 0)
            return fail(ErrorCode::BadInput,
                        "there is nothing to test on: data.test_directory is not set, and "
                        "data.validation_samples is 0",
                        "Set one of them.");
        dataset.test = dataset.validation;
        dataset.notes.emplace_back(
            "data.test_directory is not set: the validation images are the test images, too");
    }
    for (const std::string& name : dataset.classNames)
        dataset.fingerprint += "\n" + name;
    dataset.fingerprint = contentHash(dataset.fingerprint);
    return dataset;
}

Result<RawSets> readAsAsked(const FileSet& files, int classes, const std::string& cache,
                            const std::filesystem::path& jobFolder,
                            const std::filesystem::path& cacheFolder,
                            std::vector<std::string>& notes, const LoadWatch& watch) {
    if (cache == "memory")
        return readFiles(
            files, classes,
            [&](const std::filesystem::path& path) {
                return readIdxImagesCached(path, cacheFolder);
            },
            watch);
    if (cache == "none") return readFiles(files, classes, mapIdxImages, watch);
    // Changes when one of the files does, or what is accepted of them.
    const std::string identity =
        fmt::format("{} classes\n", classes) +
        identityOf({files.trainImages, files.trainLabels, files.testImages, files.testLabels});
    const auto pack = [&](PackedWriter& writer) -> Result<std::string> {
        return packSets(TRY(readFiles(files, classes, readIdxImages, watch)), writer);
    };
    return packedSets(TRY(packedInFile(jobFolder / cache, identity, pack, notes, watch)));
}

int classesOf(const config::DataSpec& spec) {
    return spec.dataset == "mnist" ? 10 : 256;
}

/// Of samples with classes, the last of which validate.
std::optional<Error> doubtOf(const Split& train, const Split& validation,
                             const config::DataSpec& spec) {
    return doubtOfSplit(
        train, validation,
        {.key = spec.validationSplit ? "data.validation_split" : "data.validation_samples",
         .remedy = "Shuffle images and labels alike before they are written."});
}

Result<Dataset> loadFiles(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                          const std::filesystem::path& cacheFolder, const LoadWatch& watch) {
    if (spec.directory.empty())
        return fail(ErrorCode::BadInput,
                    fmt::format("data.directory is not set; dataset \"{}\" is read from there",
                                spec.dataset),
                    std::string(kExpectedFiles));
    const auto files = TRY(findFiles(jobFolder / spec.directory));
    std::vector<std::string> notes;
    auto sets =
        TRY(readAsAsked(files, classesOf(spec), spec.cache, jobFolder, cacheFolder, notes, watch));
    const int classes = spec.dataset == "mnist"
                            ? 10
                            : std::max({highestLabel(sets.train), highestLabel(sets.test), 1}) + 1;
    auto dataset = TRY(assembleAsAsked(std::move(sets), spec));
    nameClasses(dataset, numbersBelow(classes));
    dataset.notes = std::move(notes);
    if (auto doubt = doubtOf(*dataset.train, *dataset.validation, spec))
        dataset.warnings.push_back(std::move(*doubt));
    return dataset;
}

Result<Dataset> loadDigits(const config::DataSpec& spec, const std::filesystem::path& cacheFolder) {
    auto dataset = TRY(assembleAsAsked(cachedDigits(cacheFolder), spec));
    nameClasses(dataset, numbersBelow(10));
    return dataset;
}

Result<Dataset> loadSamples(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                            const std::filesystem::path& cacheFolder, const LoadWatch& watch) {
    try {
        if (spec.dataset == "digits") return loadDigits(spec, cacheFolder);
        if (spec.dataset == "image_folder") return loadImages(spec, jobFolder, cacheFolder, watch);
        if (readsFiles(spec.dataset)) return loadFiles(spec, jobFolder, cacheFolder, watch);
        if (spec.dataset == "table") return loadTable(spec, jobFolder, cacheFolder, watch);
        if (spec.dataset == "text") return loadText(spec, jobFolder, cacheFolder, watch);
        if (spec.dataset == "arrays") return loadArrays(spec, jobFolder, cacheFolder, watch);
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::Unavailable,
                    fmt::format("there is not enough memory for dataset \"{}\"", spec.dataset));
    }
    const std::vector<std::string> known = {"digits", "mnist", "idx",   "image_folder",
                                            "table",  "text",  "arrays"};
    const auto meant = nearestName(spec.dataset, known);
    return fail(ErrorCode::BadInput,
                fmt::format("data.dataset: there is no dataset \"{}\"{}", spec.dataset,
                            meant ? fmt::format("; did you mean \"{}\"?", *meant) : ""),
                "Known are digits (built in), mnist and idx (files of data.directory), "
                "image_folder (one folder of images a class), table (CSV), text and arrays (.npy "
                "and .npz).");
}

}  // namespace

bool readsFiles(const std::string& dataset) {
    return dataset == "mnist" || dataset == "idx" || dataset == "image_folder";
}

Result<void> checkDataFiles(const config::DataSpec& spec, const std::filesystem::path& jobFolder) {
    for (const config::NamedFile& file : config::dataFiles(spec))
        TRY(checkSource(file.key, jobFolder / file.path));
    if (!readsFiles(spec.dataset)) return {};
    if (spec.dataset == "image_folder") return checkImageFolders(spec, jobFolder);
    std::ignore = TRY(findFiles(jobFolder / spec.directory));
    return {};
}

Result<std::optional<Error>> doubtOfLabels(const config::DataSpec& spec,
                                           const std::filesystem::path& jobFolder) {
    const auto files = TRY(findFiles(jobFolder / spec.directory));
    const auto labels = TRY(readIdxLabels(files.trainLabels, classesOf(spec)));
    RawSets sets;
    sets.train =
        imageSplit(static_cast<std::uint32_t>(labels.size()), {0, 0, 1}, {}, labelBytes(labels));
    sets.test = noneLike(sets.train);
    const Dataset dataset = TRY(assembleAsAsked(std::move(sets), spec));
    return doubtOf(*dataset.train, *dataset.validation, spec);
}

std::optional<std::filesystem::path> findDataFile(const std::filesystem::path& folder,
                                                  const std::string& name) {
    for (const char* ending : {"", ".gz"}) {
        std::filesystem::path path = folder / (name + ending);
        std::error_code error;
        if (std::filesystem::exists(path, error)) return path;
    }
    return std::nullopt;
}

Result<Dataset> loadDataset(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                            const std::filesystem::path& cacheFolder, const LoadWatch& watch) {
    auto dataset = TRY(loadSamples(spec, jobFolder, cacheFolder, watch));
    TRY(watch.stillWanted());
    TRY(prepareImages(spec, dataset));
    std::ignore = TRY(encodeSampleFacts(sampleFactsOf(dataset)));
    return dataset;
}

}  // namespace lockstep::data
