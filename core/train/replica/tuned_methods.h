// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/batch_plan.h"
#include "core/tensor/cpu/layers/convolution_method.h"
#include "core/train/replica/job_context.h"

namespace lockstep::train {

/// How the convolutions of a job are computed that asks for training.tune: as `known`, which a
/// checkpoint brought, and what is not in it as this process measures now (seconds). Empty for
/// other jobs, and where `hasGpus`. Says on standard error what was found. Unavailable where memory
/// lacks.
[[nodiscard]] Result<tensor::ConvolutionMethods> tunedMethods(
    const JobContext& context, const data::BatchPlan& batches,
    const tensor::ConvolutionMethods& known, bool hasGpus);

}  // namespace lockstep::train
