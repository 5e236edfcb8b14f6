// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/tensor/cpu/layers/dropout.h"

namespace lockstep::program {

/// Forward and gradient are the same: what is kept is known from the batch's place alone.
Result<Kernel> makeDropoutKernel(const KernelSource& source) {
    const auto& operation = std::get<model::Dropout>(source.node().operation);
    const auto numbers = static_cast<std::size_t>(model::elementCount(source.node().shape));
    const std::size_t units =
        operation.isOfChannels ? static_cast<std::size_t>(source.node().shape.back()) : numbers;
    return [=, layer = static_cast<std::uint32_t>(operation.layer), rate = operation.rate,
            x = source.read(0), y = source.write()](const Frame& frame) {
        const tensor::DropoutKey key{.seed = frame.seed,
                                     .step = static_cast<std::uint64_t>(frame.step),
                                     .layer = layer,
                                     .rate = rate};
        const auto rows = static_cast<std::size_t>(frame.rows);
        const std::size_t places = numbers / units;
        for (std::size_t row = 0; row < rows * places; ++row)
            tensor::dropoutUnits(key, static_cast<std::uint64_t>(frame.firstPlace) + row / places,
                                 0, {x.read(frame) + row * units, units},
                                 {y.write(frame) + row * units, units});
    };
}

}  // namespace lockstep::program
