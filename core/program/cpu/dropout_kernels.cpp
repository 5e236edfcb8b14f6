// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/tensor/cpu/layers/dropout.h"

namespace lockstep::program {

namespace {

/// Numbers of a sample that lie side by side here and in the whole network: all of them, or where
/// a unit is a channel, or a member of a mesh has some of the channels, those of a place.
struct Stretches {
    explicit Stretches(const KernelSource& source) {
        const auto& operation = std::get<model::Dropout>(source.node().operation);
        const auto numbers = static_cast<std::size_t>(model::elementCount(source.node().shape));
        const bool isByPlace = operation.isOfChannels || operation.allChannels > 0;
        units = isByPlace ? static_cast<std::size_t>(source.node().shape.back()) : numbers;
        places = numbers / units;
        first = static_cast<std::uint64_t>(operation.firstChannel);
        step = operation.isOfChannels ? 0 : static_cast<std::uint64_t>(operation.allChannels);
    }

    std::size_t units = 0;
    std::size_t places = 1;   ///< Stretches of a sample.
    std::uint64_t first = 0;  ///< Unit of the whole network's that the first one begins with.
    std::uint64_t step = 0;   ///< From one of them to the next.
};

}  // namespace

/// Forward and gradient are the same: what is kept is known from the batch's place alone.
Result<Kernel> makeDropoutKernel(const KernelSource& source) {
    const auto& operation = std::get<model::Dropout>(source.node().operation);
    return [=, layer = static_cast<std::uint32_t>(operation.layer), rate = operation.rate,
            stretches = Stretches(source), x = source.read(0),
            y = source.write()](const Frame& frame) {
        const tensor::DropoutKey key{.seed = frame.seed,
                                     .step = static_cast<std::uint64_t>(frame.step),
                                     .layer = layer,
                                     .rate = rate};
        const auto rows = static_cast<std::size_t>(frame.rows);
        const auto [units, places, first, step] = stretches;
        for (std::size_t row = 0; row < rows * places; ++row)
            tensor::dropoutUnits(key, static_cast<std::uint64_t>(frame.firstPlace) + row / places,
                                 first + row % places * step, {x.read(frame) + row * units, units},
                                 {y.write(frame) + row * units, units});
    };
}

}  // namespace lockstep::program
