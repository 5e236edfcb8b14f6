// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::job {

/// Which checkpoint of a run answers, or is handed over.
struct NetworkPlace {
    std::filesystem::path runDir{};
    bool best = false;      ///< The one that checkpoints/BEST names; else the newest.
    std::int64_t step = 0;  ///< The checkpoint of this step instead; 0: as `best` says.

    [[nodiscard]] bool operator==(const NetworkPlace&) const = default;
};

/// What a trained network takes and tells, for whoever asks it.
struct NetworkFacts {
    enum class Takes : std::uint8_t {
        Images,
        Rows,     ///< Of a table.
        Prompts,  ///< Texts to be continued.
        Numbers,  ///< Of no table: nobody can type them.
    };
    /// A column of the rows.
    struct Column {
        std::string name;
        bool isCategory = false;
        std::vector<std::string> categories{};  ///< The most frequent first.
        double mean = 0;                        ///< Of the training rows, where it is a number.
    };

    std::int64_t step = 0;  ///< Of the checkpoint.
    int epoch = 0;
    std::string jobName{};
    Takes takes = Takes::Images;
    std::vector<std::string> classNames{};   ///< Empty: it tells no classes.
    std::vector<std::string> targetNames{};  ///< Of numbers that it tells.
    std::vector<Column> columns{};           ///< Rows only.
};

/// Reads the whole checkpoint: not for a thread that must not wait. NotFound where there is none.
[[nodiscard]] Result<NetworkFacts> factsOfNetwork(const NetworkPlace& place);

}  // namespace lockstep::job
