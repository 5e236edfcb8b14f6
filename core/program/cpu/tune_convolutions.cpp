// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/tune_convolutions.h"

#include <algorithm>
#include <vector>

#include "core/base/processor_time.h"
#include "core/base/rng.h"
#include "core/base/try.h"
#include "core/program/cpu/convolution_use.h"
#include "core/tensor/cpu/layers/convolution.h"

namespace lockstep::program {

namespace {

/// Of each method: the first run makes memory and library code ready, the fastest of the others
/// counts.
constexpr int kRuns = 6;
/// What is not faster than the shipped rule's choice by more than this is noise.
constexpr double kWorthIt = 0.95;

std::vector<float> drawn(std::size_t count) {
    CounterRng rng(1);
    std::vector<float> numbers(count);
    for (float& number : numbers)
        number = rng.nextFloat(-1.0F, 1.0F);
    return numbers;
}

/// A pass of a convolution, with operands to run it on.
class Trial {
public:
    explicit Trial(const ConvolutionUse& use)
        : use_(use),
          image_(drawn(use.shape.inputSize())),
          weight_(drawn(use.shape.weightSize())),
          result_(drawn(use.shape.outputSize())) {}

    /// The shortest of several runs.
    [[nodiscard]] Result<Nanos> time(tensor::ConvolutionMethod method) {
        auto convolution = TRY(tensor::Convolution::make(use_.shape, {use_.pass}, method));
        Nanos best = Nanos::max();
        for (int run = 0; run < kRuns; ++run) {
            const Nanos begin = threadProcessorTime();
            runOn(convolution);
            if (run > 0) best = std::min(best, threadProcessorTime() - begin);
        }
        return best;
    }

private:
    void runOn(tensor::Convolution& convolution) {
        switch (use_.pass) {
            case tensor::ConvolutionPass::Forward:
                return convolution.forward(image_, weight_, {}, result_, false);
            case tensor::ConvolutionPass::WeightGradient:
                return convolution.weightGradient(image_, result_, weight_, {});
            case tensor::ConvolutionPass::InputGradient:
                return convolution.inputGradient(result_, weight_, image_);
        }
    }

    ConvolutionUse use_;
    std::vector<float> image_;
    std::vector<float> weight_;
    std::vector<float> result_;
};

tensor::ConvolutionMethod shippedMethod(const ConvolutionUse& use) {
    using Method = tensor::ConvolutionMethod;
    if (tensor::isFasterByTiles(use.shape)) return Method::Tiles;
    return tensor::Convolution::allows(use.shape, use.pass, Method::Direct) ? Method::Direct
                                                                            : Method::Product;
}

/// The shipped rule's choice is written down, too: a resume must not measure it again.
Result<void> tune(const ConvolutionUse& use, tensor::ConvolutionMethods& methods) {
    Trial trial(use);
    const auto shipped = shippedMethod(use);
    methods.choose(use.shape, use.pass, shipped);
    Nanos best = std::chrono::duration_cast<Nanos>(TRY(trial.time(shipped)) * kWorthIt);
    for (const auto method : tensor::kConvolutionMethods) {
        if (method == shipped || !tensor::Convolution::allows(use.shape, use.pass, method))
            continue;
        const Nanos time = TRY(trial.time(method));
        if (time >= best) continue;
        best = time;
        methods.choose(use.shape, use.pass, method);
    }
    return {};
}

}  // namespace

Result<tensor::ConvolutionMethods> tuneConvolutions(const Program& program) {
    tensor::ConvolutionMethods methods = program.methods;
    for (const auto* instructions : {&program.forward, &program.backward})
        for (const Instruction& instruction : *instructions) {
            const auto use = convolutionUse(KernelSource(program, instruction));
            if (use && !methods.of(use->shape, use->pass)) TRY(tune(*use, methods));
        }
    return methods;
}

}  // namespace lockstep::program
