// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep::tensor {

/// Running sums over samples.
struct LossTotals {
    double lossSum = 0;  ///< Of classes: cross-entropy in nats.
    double correct = 0;  ///< Samples whose largest logit is their label's.
    double samples = 0;
};

}  // namespace lockstep::tensor
