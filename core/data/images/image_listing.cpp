// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/image_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/images/image_archive.h"

namespace lockstep::data {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostClasses = 65'536;
constexpr const char* kLayout =
    "It should hold one folder a class, each with the class's JPEG or PNG images.";

bool isImageName(const fs::path& path) {
    std::string ending = path.extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

bool isHidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

tl::unexpected<Error> unreadable(const std::string& key, const fs::path& folder,
                                 const std::error_code& error) {
    return fail(ErrorCode::BadInput,
                fmt::format("{}: {} cannot be read: {}", key, folder.string(), error.message()),
                "Make it readable for the user that the job runs as.");
}

std::uint64_t orderOf(const ImageFile& file) {
    return shortHash(file.path);
}

/// The images of one class, and what lies beside them.
Result<void> addClass(ImageListing& listing, const std::string& name, std::uint16_t label) {
    const fs::path folder = listing.folder / name;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (isHidden(entry->path())) {
            entry.disable_recursion_pending();
            continue;
        }
        std::error_code problem;
        if (entry->is_directory(problem)) continue;
        const std::string path = entry->path().lexically_relative(listing.folder).generic_string();
        if (!isImageName(entry->path())) {
            if (listing.otherFiles++ == 0 || path < listing.firstOther) listing.firstOther = path;
            continue;
        }
        const auto bytes = entry->file_size(problem);
        if (problem) return unreadable(listing.key, entry->path(), problem);
        const auto written = entry->last_write_time(problem);
        if (problem) return unreadable(listing.key, entry->path(), problem);
        listing.files.push_back({path, bytes, written.time_since_epoch().count(), label});
    }
    if (error) return unreadable(listing.key, folder, error);
    return {};
}

Result<void> refuseImagesBeside(const std::string& key, const fs::path& folder,
                                std::uint64_t images, const std::string& first) {
    if (images == 0) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("{}: {} {} beside the class folders of {}, for example {}: what class "
                            "they are of is not known",
                            key, counted(images, "image"), images == 1 ? "lies" : "lie",
                            folder.lexically_normal().string(), first),
                "Move every image into its class's folder.");
}

/// What lies directly in the folder of the classes.
struct Found {
    std::vector<std::string> names{};  ///< Of folders.
    std::uint64_t images = 0;
    std::string firstImage{};

    void addBeside(const fs::path& file) {
        const std::string name = file.string();
        if (isImageName(file) && (images++ == 0 || name < firstImage)) firstImage = name;
    }
};

Result<std::vector<std::string>> checked(const std::string& key, const fs::path& folder,
                                         Found found) {
    const std::string shown = folder.lexically_normal().string();
    TRY(refuseImagesBeside(key, folder, found.images, found.firstImage));
    if (found.names.empty())
        return fail(ErrorCode::BadInput, fmt::format("{}: {} has no folders in it", key, shown),
                    kLayout);
    if (found.names.size() > kMostClasses)
        return fail(ErrorCode::BadInput,
                    fmt::format("{}: {} has {} class folders, and at most {} are read", key, shown,
                                found.names.size(), kMostClasses),
                    "Put classes together, or name the folder that holds the classes.");
    std::ranges::sort(found.names);
    return std::move(found.names);
}

/// The class folder of a file in an archive; empty: it lies beside them.
std::string_view classOf(const TarEntry& file) {
    const std::size_t slash = file.name.find('/');
    return std::string_view(file.name).substr(0, slash == std::string::npos ? 0 : slash);
}

bool isHiddenBelow(std::string_view path) {
    return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

Result<std::vector<std::string>> classesOf(const std::string& key, const fs::path& folder,
                                           const ImageArchive& archive) {
    Found found;
    std::set<std::string_view> names;
    for (const TarEntry& file : archive.files) {
        if (isHiddenBelow(file.name)) continue;
        if (const auto name = classOf(file); !name.empty())
            names.insert(name);
        else
            found.addBeside(file.name);
    }
    found.names.assign(names.begin(), names.end());
    return checked(key, folder, std::move(found));
}

using ClassFiles = std::map<std::string_view, std::vector<const TarEntry*>>;

ClassFiles filesByClass(const ImageArchive& archive) {
    ClassFiles files;
    for (const TarEntry& file : archive.files)
        if (!isHiddenBelow(file.name)) files[classOf(file)].push_back(&file);
    return files;
}

/// The images of one class in an archive, and what lies beside them.
Result<void> addArchived(ImageListing& listing, const ImageArchive& archive,
                         const std::vector<const TarEntry*>& files, std::uint16_t label) {
    for (const TarEntry* file : files) {
        if (isImageName(file->name)) {
            if (!file->linkedTo.empty())
                return fail(ErrorCode::BadInput,
                            fmt::format("{}: {} is a link to {}, which is no file of the archive",
                                        listing.key, sanitizeLine(file->name, 80),
                                        sanitizeLine(file->linkedTo, 80)),
                            "Pack the files themselves: tar --dereference.");
            listing.files.push_back({file->name, file->bytes, archive.written, label, file->at});
        } else if (listing.otherFiles++ == 0 || file->name < listing.firstOther) {
            listing.firstOther = file->name;
        }
    }
    return {};
}

}  // namespace

Result<std::vector<std::string>> classFolders(const std::string& key, const fs::path& folder) {
    if (namesArchive(folder)) return classesOf(key, folder, TRY(openImageArchive(key, folder)));
    const std::string shown = folder.lexically_normal().string();
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return fail(ErrorCode::BadInput, fmt::format("{}: there is no directory {}", key, shown),
                    kLayout);
    Found found;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        std::error_code problem;
        if (isHidden(entry->path())) continue;
        if (entry->is_directory(problem))
            found.names.push_back(entry->path().filename().string());
        else
            found.addBeside(entry->path().filename());
    }
    if (error) return unreadable(key, folder, error);
    return checked(key, folder, std::move(found));
}

Result<ImageListing> listImages(const std::string& key, const fs::path& folder,
                                const std::vector<std::string>& classes) {
    ImageListing listing{key, folder, {}, {}, {}, 0, {}};
    std::optional<ImageArchive> archive;
    if (namesArchive(folder)) archive = TRY(openImageArchive(key, folder));
    const ClassFiles archived = archive ? filesByClass(*archive) : ClassFiles();
    const auto found =
        archive ? TRY(classesOf(key, folder, *archive)) : TRY(classFolders(key, folder));
    if (archive) listing.archive = archive->bytes;
    listing.classNames = classes.empty() ? found : classes;
    if (classes.empty() && found.size() == 1)
        return fail(
            ErrorCode::BadInput,
            fmt::format("{}: {} has one class folder, {}, and there is nothing to tell it "
                        "from",
                        key, folder.lexically_normal().string(), sanitizeLine(found[0], 80)),
            "Name the folder that holds the classes' folders, two or more.");
    for (const std::string& name : found) {
        const auto place = std::ranges::find(listing.classNames, name);
        if (place == listing.classNames.end())
            return fail(ErrorCode::BadInput,
                        fmt::format("{}: there is a class folder {}, which the training images "
                                    "of data.directory do not have",
                                    key, sanitizeLine(name, 80)),
                        "Remove it, or add images of the class to data.directory.");
        const std::size_t before = listing.files.size();
        const auto label = static_cast<std::uint16_t>(place - listing.classNames.begin());
        if (archive)
            TRY(addArchived(listing, *archive, archived.at(name), label));
        else
            TRY(addClass(listing, name, label));
        if (listing.files.size() == before)
            return fail(ErrorCode::BadInput,
                        fmt::format("{}: the class folder {} holds no .jpg, .jpeg or .png file",
                                    key, sanitizeLine(name, 80)),
                        "Put the class's images there, or remove the folder.");
    }
    std::ranges::sort(listing.files, [](const ImageFile& a, const ImageFile& b) {
        return std::tuple(orderOf(a), std::string_view(a.path)) <
               std::tuple(orderOf(b), std::string_view(b.path));
    });
    return listing;
}

void addNamesAndSizes(ContentHash& hash, const ImageListing& listing) {
    for (const std::string& name : listing.classNames)
        hash.add(name + "\n");
    for (const ImageFile& file : listing.files)
        hash.add(fmt::format("{} {}\n", file.path, file.bytes));
}

}  // namespace lockstep::data
