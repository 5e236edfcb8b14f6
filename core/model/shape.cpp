// SPDX-License-Identifier: Apache-2.0
#include "core/model/shape.h"

namespace lockstep::model {

std::int64_t elementCount(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    return count;
}

std::string toString(const Shape& shape) {
    if (shape.empty()) return "1 number";
    std::string text;
    for (const std::int64_t size : shape)
        text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text;
}

}  // namespace lockstep::model
