// SPDX-License-Identifier: Apache-2.0
#include "core/data/digits_cache.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/digits.h"
#include "core/data/idx_file.h"

namespace lockstep::data {

namespace {

constexpr const char* kTrainImages = "train-images-idx3-ubyte";
constexpr const char* kTrainLabels = "train-labels-idx1-ubyte";
constexpr const char* kTestImages = "t10k-images-idx3-ubyte";
constexpr const char* kTestLabels = "t10k-labels-idx1-ubyte";
constexpr const char* kFingerprint = "fingerprint";

std::optional<Split> readSplit(const std::filesystem::path& imagesPath,
                               const std::filesystem::path& labelsPath) {
    auto images = readIdxImages(imagesPath);
    auto labels = readIdxLabels(labelsPath, 10);
    if (!images || !labels || images->count != labels->size()) return std::nullopt;
    return imageSplit(images->count, {images->height, images->width, 1}, std::move(images->pixels),
                      labelBytes(*labels));
}

std::optional<RawSets> readCache(const std::filesystem::path& folder) {
    const auto expected = readFile(folder / kFingerprint, 64);
    if (!expected) return std::nullopt;
    auto train = readSplit(folder / kTrainImages, folder / kTrainLabels);
    auto test = readSplit(folder / kTestImages, folder / kTestLabels);
    // A cache that does not match its fingerprint was damaged: it is made anew.
    if (!train || !test || fingerprintOf({&*train, &*test}) != *expected) return std::nullopt;
    return RawSets{std::move(*train), std::move(*test)};
}

Result<void> writeSplit(const Split& split, const std::filesystem::path& imagesPath,
                        const std::filesystem::path& labelsPath) {
    TRY(writeIdxImages(imagesPath, split.count, split.width(), split.height(), split.inputs));
    return writeIdxLabels(labelsPath, packedLabels(split));
}

/// Every process writes the same bytes and every file is replaced at once, so that processes that
/// start together do not disturb one another.
Result<void> writeCache(const std::filesystem::path& folder, const RawSets& sets) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return fail(ErrorCode::Io, error.message());
    TRY(writeSplit(sets.train, folder / kTrainImages, folder / kTrainLabels));
    TRY(writeSplit(sets.test, folder / kTestImages, folder / kTestLabels));
    return replaceFileDurably(folder / kFingerprint, fingerprintOf({&sets.train, &sets.test}));
}

}  // namespace

RawSets cachedDigits(const std::filesystem::path& cacheFolder) {
    const auto folder = cacheFolder / fmt::format("digits-{}", kDigitsVersion);
    if (!cacheFolder.empty())
        if (auto cached = readCache(folder)) return std::move(*cached);
    const int threads = availableProcessors();
    RawSets sets{generateDigits(0, kDigitsTrainCount, threads),
                 generateDigits(kDigitsTrainCount, kDigitsTestCount, threads)};
    if (!cacheFolder.empty()) std::ignore = writeCache(folder, sets);  // costs the next start time
    return sets;
}

}  // namespace lockstep::data
