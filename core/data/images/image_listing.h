// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

struct ImageFile {
    std::string path;  ///< Below the listing's folder, with "/" between names.
    std::uint64_t bytes = 0;
    std::int64_t written = 0;  ///< When, in the file system's own count.
    std::uint16_t label = 0;   ///< Of its class, by the order of names.
    std::uint64_t at = 0;      ///< Of an archive.
};

/// The images of a folder, or of a tar archive, that holds one folder a class.
struct ImageListing {
    std::string key;  ///< Of the job file, which names the folder: for messages.
    std::filesystem::path folder;
    SharedBytes archive{};  ///< Empty: the files lie in the folder.
    std::vector<std::string> classNames;
    /// In an order that depends on the paths alone and mixes the classes.
    std::vector<ImageFile> files;
    std::uint64_t otherFiles = 0;  ///< Passed over: their names do not end as images do.
    std::string firstOther;
};

/// The folders' names in `folder`, which may be a tar archive, sorted by bytes: the classes. What
/// begins with a dot is passed over. BadInput, with the way out, where there is no such folder,
/// fewer than two or more than 65,536 classes, or images lie beside the folders.
[[nodiscard]] Result<std::vector<std::string>> classFolders(const std::string& key,
                                                            const std::filesystem::path& folder);

/// All .jpg, .jpeg and .png files (capitals or not) of the class folders and the folders in them.
/// `classes`: those of the training images, to which the labels belong; empty: the folder's own.
/// BadInput as classFolders(), for a class without images, and for a class that is not in
/// `classes`.
[[nodiscard]] Result<ImageListing> listImages(const std::string& key,
                                              const std::filesystem::path& folder,
                                              const std::vector<std::string>& classes = {});

/// Adds names and sizes of the files, which are equal for equal folders of several hosts.
void addNamesAndSizes(ContentHash& hash, const ImageListing& listing);

}  // namespace lockstep::data
