// SPDX-License-Identifier: Apache-2.0
#include "core/program/parameter_layout.h"

namespace lockstep::program {

ParameterLayout ParameterLayout::of(const model::Graph& graph) {
    ParameterLayout layout;
    for (const model::Tensor& tensor : graph.tensors) {
        if (tensor.role == model::Tensor::Role::Gathered) {
            layout.offsets.push_back(0);  // it lies in the arena while it is used
            continue;
        }
        std::size_t& end =
            tensor.role == model::Tensor::Role::Parameter ? layout.parameters : layout.statistics;
        layout.offsets.push_back(end);
        const auto size = static_cast<std::size_t>(tensor.size());
        end += (size + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
    }
    return layout;
}

}  // namespace lockstep::program
