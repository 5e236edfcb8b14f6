// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/job/job_spec.h"

/// The guide's network on the built-in digits: two hidden layers of 256 units, Adam.
inline lockstep::config::JobSpec guideModel() {
    using namespace lockstep::config;
    JobSpec job;
    job.name = "guide";
    job.data.dataset = "digits";
    job.model.layers = {
        {.type = "dense", .units = 256, .activation = Activation::Relu},
        {.type = "dense", .units = 256, .activation = Activation::Relu},
        {.type = "dense", .units = 10},
    };
    job.training.globalBatchSize = 256;
    job.training.epochs = 2;
    return job;
}
