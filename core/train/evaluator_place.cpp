// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluator_place.h"

#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/job/evaluator_device.h"
#include "core/tensor/gpu_support.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::train {

Result<int> gpuOfEvaluator(const std::string& device, std::uint32_t evaluator, std::size_t gpus) {
    const auto wanted = config::parseEvaluatorDevice(device);
    const int named = wanted ? wanted->gpu : -1;
    if (named < 0 && gpus > 0) return static_cast<int>(gpus - 1 - evaluator % gpus);
    if (named >= 0 && static_cast<std::size_t>(named) < gpus) return named;
    return fail(ErrorCode::BadInput,
                fmt::format("evaluator.device is \"{}\", but the evaluators' host has {}", device,
                            counted(gpus, "GPU")),
                "Name a GPU that it has, or write \"cpu\".");
}

Result<ProgramPlace> placeOfEvaluator(const config::JobSpec& job, std::uint32_t evaluator) {
    const auto wanted = config::parseEvaluatorDevice(job.evaluator.device);
    if (!wanted || !wanted->isGpu) return ProgramPlace{};
    const tensor::GpuSupport support = tensor::findGpuSupport();
    if (!support.usable()) return fail(support.toError());
    const int gpu = TRY(gpuOfEvaluator(job.evaluator.device, evaluator, support.devices.size()));
    return ProgramPlace{.gpu = support.devices[static_cast<std::size_t>(gpu)].index,
                        .precision = precisionOf(job.training.precision)};
}

}  // namespace lockstep::train
