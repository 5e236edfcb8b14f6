// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/dataset.h"
#include "core/data/load_watch.h"

namespace lockstep::data {

/// What a person wants to know of a job's data before training on them. Values alone: it may be
/// kept, copied and drawn by anybody.
struct DataCard {
    /// One of the three splits.
    struct Part {
        std::string name;  ///< training, validation, test.
        std::uint64_t samples = 0;
        std::vector<std::uint64_t> perClass{};  ///< As many as classNames; empty: no classes.
    };
    /// A training image as one epoch changes it.
    struct Version {
        std::vector<std::uint8_t> pixels{};  ///< height x width x channels, as the sample's.
        /// Of the image that was mixed in, its class; -1: none was.
        int otherClass = -1;
        double share = 1;  ///< What the sample's own class has left.
    };
    struct Sample {
        std::uint32_t index = 0;  ///< In the training set.
        int label = -1;           ///< Index of classNames; -1: it has no class.
        std::vector<std::uint8_t> pixels{};
        std::vector<Version> versions{};  ///< Of epochs 0, 1, …; empty: nothing is augmented.
    };

    std::string kind;  ///< images, rows, text.
    model::Shape shape{};
    std::vector<std::string> classNames{};
    std::vector<Part> parts{};
    std::vector<std::string> notes{};  ///< What was skipped or taken twice: sentences.
    std::vector<Sample> samples{};     ///< Of images only, from as many classes as there are.
    std::uint64_t seed = 0;            ///< What the versions were drawn with.
    model::DataFacts facts{};          ///< What a network must know of them.
};

struct DataCardOptions {
    std::size_t samples = 8;
    std::size_t versions = 4;  ///< Of each sample.
    LoadWatch watch{};
};

/// The card of a job's data set, which is loaded for it: seconds, and as much memory as training
/// takes. Its versions are the pixels that training sees, where the job has a seed; else those of
/// seed 0. Errors: loadDataset's.
[[nodiscard]] Result<DataCard> makeDataCard(const config::JobSpec& job,
                                            const std::filesystem::path& jobFolder,
                                            const DataCardOptions& options = {});
/// The same of a data set that is loaded already.
[[nodiscard]] Result<DataCard> dataCardOf(const config::JobSpec& job, const Dataset& dataset,
                                          const DataCardOptions& options = {});

}  // namespace lockstep::data
