// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/model/data_facts.h"

namespace lockstep::data {

/// What a sample of a data set is, and what is to be said of it: all that a network and its
/// predictions need to know of the data. Kept in every checkpoint, so that neither needs the files.
struct SampleFacts {
    InputKind inputKind = InputKind::Pixels;
    TargetKind targetKind = TargetKind::Class;
    model::DataFacts facts{};
    std::vector<std::string> classNames{};   ///< As many as there are classes.
    std::vector<std::string> targetNames{};  ///< As Dataset has them, as the next two.
    double targetScale = 1;
    std::string preparation{};
};

[[nodiscard]] SampleFacts sampleFactsOf(const Dataset& data);

/// As JSON in one line. BadInput where that is more than a checkpoint holds: categories, class
/// names and tokens without number. loadDataset() asks for it, so that a job says so at its start.
[[nodiscard]] Result<std::string> encodeSampleFacts(const SampleFacts& sample);
/// Corrupt for what encodeSampleFacts does not write; fields that are not known are passed over.
[[nodiscard]] Result<SampleFacts> parseSampleFacts(std::string_view text);

}  // namespace lockstep::data
