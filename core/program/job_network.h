// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/model/data_facts.h"
#include "core/program/network.h"

namespace lockstep::program {

/// The network that a job describes, for its data. BadInput, naming the layer, when it cannot be
/// made for such data, or does not end with what the loss takes: logits before any activation, or
/// as many numbers as are to be predicted.
[[nodiscard]] Result<Network> makeNetwork(const config::ModelSpec& model,
                                          const model::DataFacts& facts,
                                          const config::LossSpec& loss = {});

}  // namespace lockstep::program
