// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/image_folder.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/images/decode_listing.h"
#include "core/data/images/image_listing.h"
#include "core/data/packed/packed_sets.h"

namespace lockstep::data {

namespace fs = std::filesystem;

namespace {

/// Grows whenever the same files give other pixels.
constexpr int kFormVersion = 1;

struct Listings {
    ImageListing train;
    std::optional<ImageListing> validation;
    std::optional<ImageListing> test;

    [[nodiscard]] std::vector<const ImageListing*> all() const {
        std::vector<const ImageListing*> those = {&train};
        for (const auto* other : {&validation, &test})
            if (*other) those.push_back(&**other);
        return those;
    }
};

Result<Listings> listAll(const config::DataSpec& spec, const fs::path& jobFolder) {
    Listings listings{TRY(listImages("data.directory", jobFolder / spec.directory)), {}, {}};
    const auto& classes = listings.train.classNames;
    if (!spec.validationDirectory.empty())
        listings.validation = TRY(
            listImages("data.validation_directory", jobFolder / spec.validationDirectory, classes));
    if (!spec.testDirectory.empty())
        listings.test =
            TRY(listImages("data.test_directory", jobFolder / spec.testDirectory, classes));
    return listings;
}

ImageForm formOf(const config::DataSpec& spec) {
    return {spec.imageSize.height, spec.imageSize.width,
            spec.color == config::ImageColor::Grey ? 1 : 3,
            spec.onError == config::OnBrokenImage::Skip};
}

/// Changes with the folders' places and the form of images, not with what the folders hold: images
/// that are changed replace the file of the former ones.
std::string nameOf(const Listings& listings, const ImageForm& form) {
    std::string name = fmt::format("{} {} {} {} {}\n", kFormVersion, form.height, form.width,
                                   form.channels, form.skipsBroken);
    for (const ImageListing* listing : listings.all()) {
        std::error_code error;
        name += fmt::format("{} {}\n", listing->key,
                            fs::weakly_canonical(listing->folder, error).string());
    }
    return name;
}

/// Changes when a file comes, goes, or is written anew.
std::string identityOf(const Listings& listings, const std::string& name) {
    ContentHash hash;
    hash.add(name);
    for (const ImageListing* listing : listings.all()) {
        addNamesAndSizes(hash, *listing);
        for (const ImageFile& file : listing->files)
            hash.add(fmt::format("{}\n", file.written));
    }
    return "images " + hash.digits();
}

/// In the order of packed sets.
Result<std::string> decodeAll(const Listings& listings, const ImageForm& form, PackedWriter& writer,
                              const LoadWatch& watch) {
    RawSets sets;
    sets.train = TRY(decodeListing(listings.train, form, writer, watch));
    for (auto [listing, split] : {std::pair{&listings.test, &sets.test},
                                  std::pair{&listings.validation, &sets.validation}}) {
        if (*listing) {
            *split = TRY(decodeListing(**listing, form, writer, watch));
            continue;
        }
        split->shape = {form.height, form.width, form.channels};
        TRY(writer.endSection());
        TRY(writer.endSection());
    }
    return describeSets(sets);
}

Result<RawSets> decodedAsAsked(const Listings& listings, const config::DataSpec& spec,
                               const fs::path& jobFolder, const fs::path& cacheFolder,
                               std::vector<std::string>& notes, const LoadWatch& watch) {
    const ImageForm form = formOf(spec);
    const bool isOnce = spec.cache == "memory" || spec.cache == "packed";
    const auto pack = [&](PackedWriter& writer) {
        return decodeAll(listings, form, writer, watch);
    };
    if (spec.cache == "none" || (isOnce && cacheFolder.empty()))
        return packedSets(TRY(packedInMemory(pack, watch)));
    const std::string name = nameOf(listings, form);
    const std::string identity = identityOf(listings, name);
    return packedSets(
        TRY(isOnce ? packedInCache(cacheFolder / "images", name, identity, pack, notes, watch)
                   : packedInFile(jobFolder / spec.cache, identity, pack, notes, watch)));
}

/// What of the folder is not in the split.
void noteMissing(const ImageListing& listing, const Split& split, std::vector<std::string>& notes) {
    if (const std::size_t broken = listing.files.size() - split.count; broken > 0)
        notes.push_back(fmt::format("{}: {} of {} cannot be read and {} left out", listing.key,
                                    broken, counted(listing.files.size(), "image"),
                                    broken == 1 ? "is" : "are"));
    if (listing.otherFiles > 0)
        notes.push_back(fmt::format(
            "{}: {} passed over, which {} neither .jpg, .jpeg nor .png, for example {}",
            listing.key, countedWas(listing.otherFiles, "file"),
            listing.otherFiles == 1 ? "is" : "are", sanitizeLine(listing.firstOther, 200)));
}

}  // namespace

Result<FolderImages> loadImageFolder(const config::DataSpec& spec, const fs::path& jobFolder,
                                     const fs::path& cacheFolder, const LoadWatch& watch) {
    if (spec.imageSize == config::ImageSize{})
        return fail(ErrorCode::BadInput,
                    "data.image_size is not set; dataset \"image_folder\" needs it",
                    "Set it to the [height, width] that every image is brought to, for example "
                    "[32, 32].");
    const auto listings = TRY(listAll(spec, jobFolder));
    FolderImages images;
    images.sets = TRY(decodedAsAsked(listings, spec, jobFolder, cacheFolder, images.notes, watch));
    noteMissing(listings.train, images.sets.train, images.notes);
    if (listings.validation)
        noteMissing(*listings.validation, images.sets.validation, images.notes);
    if (listings.test) noteMissing(*listings.test, images.sets.test, images.notes);
    for (const std::string& name : listings.train.classNames)
        images.classNames.push_back(sanitizeLine(name, 80));
    return images;
}

Result<void> checkImageFolders(const config::DataSpec& spec, const fs::path& jobFolder) {
    std::ignore = TRY(classFolders("data.directory", jobFolder / spec.directory));
    if (!spec.validationDirectory.empty())
        std::ignore =
            TRY(classFolders("data.validation_directory", jobFolder / spec.validationDirectory));
    if (!spec.testDirectory.empty())
        std::ignore = TRY(classFolders("data.test_directory", jobFolder / spec.testDirectory));
    return {};
}

}  // namespace lockstep::data
