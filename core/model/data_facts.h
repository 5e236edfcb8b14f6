// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/shape.h"

namespace lockstep::model {

/// A named part of a sample beside the sample itself: "data.COLUMN" in a model.
struct Column {
    std::string name;
    Shape shape;
    std::int64_t vocabulary = 0;  ///< Values that its whole numbers can take; 0: not such numbers.
};

/// What a network must know of its data.
struct DataFacts {
    Shape input;  ///< Of a sample: {28, 28, 1}.
    /// What the network does to its input first, whatever its layers are: channel by channel, or
    /// one number for all, x * scale + offset. Both empty: nothing.
    std::vector<float> inputScale{};
    std::vector<float> inputOffset{};
    std::vector<Column> columns{};  ///< Besides it.
    std::int64_t classes = 0;       ///< `units = "classes"`; 0: there are none.
    std::int64_t vocabulary = 0;    ///< Of the sample's whole numbers; 0: it has none.
    std::int64_t values = 0;        ///< Numbers to be predicted of a sample; 0: none.
};

}  // namespace lockstep::model
