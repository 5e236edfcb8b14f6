// SPDX-License-Identifier: Apache-2.0
#include "core/nn/layer.h"

namespace lockstep::nn {

std::size_t TensorInfo::size() const {
    std::size_t product = 1;
    for (const std::size_t extent : shape)
        product *= extent;
    return product;
}

}  // namespace lockstep::nn
