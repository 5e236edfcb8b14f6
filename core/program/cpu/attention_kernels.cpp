// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/layers/attention.h"

namespace lockstep::program {

namespace {

/// One node's attention, with what it needs of a frame.
struct Attention {
    explicit Attention(const KernelSource& source)
        : operation(std::get<model::Attention>(source.node().operation)),
          isTraining(source.program().mode == Program::Mode::Training) {
        const ImageShape image(source.node().shape);
        shape.positions = image.places();
        shape.width = image.channels;
        shape.heads = static_cast<std::size_t>(operation.heads);
        shape.isCausal = operation.isCausal;
        shape.firstHead = static_cast<std::size_t>(operation.firstHead);
        attention = std::make_shared<tensor::Attention>(shape);
    }

    [[nodiscard]] tensor::AttentionDropout dropout(const Frame& frame) const {
        return {.key = {.seed = frame.seed,
                        .step = static_cast<std::uint64_t>(frame.step),
                        .layer = static_cast<std::uint32_t>(operation.layer),
                        .rate = isTraining ? operation.dropout : 0},
                .firstPlace = static_cast<std::uint64_t>(frame.firstPlace)};
    }

    model::Attention operation;
    bool isTraining;
    tensor::AttentionShape shape;
    std::shared_ptr<tensor::Attention> attention;
};

Kernel forward(const KernelSource& source) {
    const bool keeps = source.instruction().writes.size() > 1;
    return [self = Attention(source), qkv = source.read(0), y = source.write(0),
            kept = keeps ? source.write(1) : Place(), keeps,
            scratch = std::vector<float>()](const Frame& frame) mutable {
        const auto batch = static_cast<std::size_t>(frame.rows);
        if (!keeps) scratch.resize(self.attention->logSumsSize(batch));
        self.attention->forward(batch, all(frame, qkv), self.dropout(frame),
                                keeps ? result(frame, kept) : std::span<float>(scratch),
                                result(frame, y));
    };
}

Kernel gradient(const KernelSource& source) {
    return [self = Attention(source), dy = source.read(0), qkv = source.read(1),
            kept = source.read(2), dQkv = source.write()](const Frame& frame) {
        self.attention->gradient(static_cast<std::size_t>(frame.rows), all(frame, qkv),
                                 self.dropout(frame), all(frame, kept), all(frame, dy),
                                 result(frame, dQkv));
    };
}

}  // namespace

Result<Kernel> makeAttentionKernel(const KernelSource& source) {
    return byAction(source, {.forward = forward, .inputGradient = gradient});
}

}  // namespace lockstep::program
