// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/sample_facts.h"

namespace lockstep::train {

/// A sample that is left out.
struct LeftOut {
    std::uint64_t place = 0;  ///< As FileSamples::places.
    std::string sentence;
    std::string remedy;  ///< May be empty.
};

/// What a file holds for a network, as the network takes it. There are no targets: they are zeros.
struct FileSamples {
    data::Split split;
    /// What `places` count: "index" (from 0) of an IDX file's images, "line" of a table's rows;
    /// empty: the file is one sample.
    std::string_view placeName{};
    std::vector<std::uint64_t> places{};  ///< Of each sample.
    /// What the user should know of samples, with their place: the first few.
    std::vector<std::string> remarks{};
    std::uint64_t moreRemarks = 0;  ///< Which are not kept.
    std::vector<LeftOut> failures{};
};

/// Of networks that take images: a JPEG or PNG, brought to the size and colours of training images,
/// or all images of an IDX file. Of networks that take rows of tables: those of a CSV file,
/// prepared as the training rows were; columns that were no features may be missing. Errors name
/// the file.
[[nodiscard]] Result<FileSamples> readInputFile(const std::filesystem::path& path,
                                                const data::SampleFacts& samples);

/// The rows of a table that is at hand as text, as of a CSV file. `name` is what errors and
/// failures call it.
[[nodiscard]] Result<FileSamples> readInputRows(const std::string& name, std::string_view csv,
                                                const data::SampleFacts& samples);

}  // namespace lockstep::train
