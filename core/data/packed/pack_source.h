// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/packed/packed_file.h"

namespace lockstep::data {

/// Sources of fewer bytes are read faster than a file is looked for.
inline constexpr std::uint64_t kSmallestCached = std::uint64_t{4} << 20;

/// A table, a text or arrays, and where their packed form lies.
struct PackedSource {
    /// Changes with what is asked for: with the files' places and with how they are read.
    std::string name;
    std::vector<std::filesystem::path> files;  ///< What is read, each once.
    /// Changes, besides the files' sizes and times, when the same files would be packed otherwise.
    std::string content{};
};

/// The source as data.cache says: packed once a host into a file of `cacheFolder` ("memory" or
/// "packed"; in memory where it is small), into the file of data.cache, or read by each process
/// into its own memory ("none").
[[nodiscard]] Result<PackedData> packSource(const config::DataSpec& spec,
                                            const std::filesystem::path& jobFolder,
                                            const std::filesystem::path& cacheFolder,
                                            const PackedSource& source, const PackData& pack,
                                            std::vector<std::string>& notes,
                                            const LoadWatch& watch = {});

}  // namespace lockstep::data
