// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/load_watch.h"
#include "core/data/raw_sets.h"

namespace lockstep::data {

/// The images of a job's folders, brought to one size.
struct FolderImages {
    RawSets sets;
    std::vector<std::string> classNames;
    std::vector<std::string> notes;  ///< As Dataset::notes.
};

/// Reads the images of data.directory, data.validation_directory and data.test_directory. With
/// cache "memory" or "packed" they are decoded once a host into a file of `cacheFolder`, which is
/// checked and mapped from then on; an empty or unwritable folder only costs time. "none": decoded
/// every time. A path: that file, as of other data sets. BadInput for what is wrong with folders or
/// images.
[[nodiscard]] Result<FolderImages> loadImageFolder(const config::DataSpec& spec,
                                                   const std::filesystem::path& jobFolder,
                                                   const std::filesystem::path& cacheFolder,
                                                   const LoadWatch& watch = {});

/// Whether the folders are there and hold class folders; reads no image.
[[nodiscard]] Result<void> checkImageFolders(const config::DataSpec& spec,
                                             const std::filesystem::path& jobFolder);

}  // namespace lockstep::data
