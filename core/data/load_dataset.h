// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/user_folders.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/data/load_watch.h"

namespace lockstep::data {

/// The files of a dataset that is read from a folder, each as it is or with .gz.
inline constexpr std::array<const char*, 4> kIdxFileNames = {
    "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte"};
/// Whether the dataset is read from files of data.directory.
[[nodiscard]] bool readsFiles(const std::string& dataset);

/// Whether the files of a data set are there, as far as their names tell. BadInput names what is
/// missing and what is expected.
[[nodiscard]] Result<void> checkDataFiles(const config::DataSpec& spec,
                                          const std::filesystem::path& jobFolder);
/// Whether the training labels of mnist and idx look sorted by class, so that those that validate,
/// which are the last ones, tell little of the others; nullopt: they do not. Reads no images.
/// BadInput for labels that cannot be read, and for impossible splits.
[[nodiscard]] Result<std::optional<Error>> doubtOfLabels(const config::DataSpec& spec,
                                                         const std::filesystem::path& jobFolder);
/// The file of this name in the folder, as it is or with .gz.
[[nodiscard]] std::optional<std::filesystem::path> findDataFile(const std::filesystem::path& folder,
                                                                const std::string& name);

/// The dataset a job names, held as `spec.cache` says. `spec.directory` and `spec.cache` are
/// relative to `jobFolder`; `cacheFolder` keeps what is generated (`digits`) or unpacked
/// (gzipped images), an empty or unwritable one only costs time. Takes up to seconds. BadInput for
/// unknown names, missing or damaged files and impossible splits; Cancelled once `watch` waits no
/// longer.
[[nodiscard]] Result<Dataset> loadDataset(
    const config::DataSpec& spec, const std::filesystem::path& jobFolder,
    const std::filesystem::path& cacheFolder = lockstep::cacheFolder(),
    const LoadWatch& watch = {});

}  // namespace lockstep::data
