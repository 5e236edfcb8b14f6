// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/description/description.h"

namespace lockstep::model {

struct DescriptionReading {
    Description description;  ///< Of use when there is no problem.
    Problems problems;        ///< In the text's order, at most about a hundred.
};

/// Reads [model]: its layers, its blocks, its defaults. Types, options, their kinds and ranges,
/// names, blocks and their parameters are checked; shapes are not known yet.
[[nodiscard]] DescriptionReading readDescription(const config::TomlValue& model);

}  // namespace lockstep::model
