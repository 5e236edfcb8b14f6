// SPDX-License-Identifier: Apache-2.0
#include "core/model/graph.h"

namespace lockstep::model {

std::int64_t Graph::sampleSize() const {
    std::int64_t size = elementCount(input);
    for (const Shape& column : columns)
        size += elementCount(column);
    return size;
}

std::int64_t Graph::trainableCount() const {
    std::int64_t count = 0;
    for (const Tensor& tensor : tensors)
        if (tensor.role == Tensor::Role::Parameter && tensor.isTrainable) count += tensor.size();
    return count;
}

}  // namespace lockstep::model
