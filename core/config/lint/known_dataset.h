// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/config/job/job_spec.h"
#include "core/model/data_facts.h"

namespace lockstep::config {

/// What is known of a data set before its files are read.
struct KnownDataset {
    std::string_view name;
    int classes;
    int trainingSamples;
    bool needsDirectory;
    int side;  ///< Its images are grey squares.
};

/// digits and mnist; nothing for data that is known from its files only.
[[nodiscard]] std::optional<KnownDataset> knownDataset(const DataSpec& data);

/// What a network must know of such data.
[[nodiscard]] std::optional<model::DataFacts> knownFacts(const DataSpec& data);

}  // namespace lockstep::config
