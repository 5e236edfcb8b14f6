// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// Share of the samples of a table, a text or arrays that validate where the job does not say.
inline constexpr double kValidationShare = 0.1;

/// Whether the data set is of the kinds that name their files one by one: table, text or arrays.
[[nodiscard]] bool namesFiles(const std::string& dataset);

/// "mnist.npz:x_train" as its parts; of other texts all is the file.
struct ArrayName {
    std::string file;
    std::string array{};
};
[[nodiscard]] ArrayName arrayNameOf(const std::string& text);

/// A file that a job's data are read from, as written, and the key that names it.
struct NamedFile {
    std::string key;
    std::string path;
};
/// Of data sets that name their files, each once; none of others.
[[nodiscard]] std::vector<NamedFile> dataFiles(const DataSpec& data);

}  // namespace lockstep::config
