// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// Where a training is, and what its epoch has come to so far, over all replicas.
struct BatchFigures {
    int epoch = 0;           ///< From 1.
    std::int64_t batch = 0;  ///< Within its epoch, from 0.
    std::int64_t step = 0;   ///< Of the run, from 1.
    /// Means over the epoch's samples; NaN before the first of them, and an accuracy where nothing
    /// is right or wrong. Of an epoch that a resume goes on with, process 0 alone counts those
    /// before.
    double loss = std::numeric_limits<double>::quiet_NaN();
    double accuracy = std::numeric_limits<double>::quiet_NaN();
};

/// Whoever looks on in a process that trains, and may say that it is enough. Called on the step
/// thread: all replicas wait for it.
class TrainingListener {
public:
    virtual ~TrainingListener() = default;
    /// Where a GPU runs whole steps, both of a batch come together, some steps late.
    virtual void batchBegins(const BatchFigures& /*before*/) {}
    /// False: the next step is the last one, in all processes, as where a stop was requested; where
    /// a GPU runs whole steps, one of the next is.
    [[nodiscard]] virtual bool batchEnded(const BatchFigures& /*figures*/) { return true; }
    /// After each epoch, with its figures over all replicas, equal in every process; false: no
    /// further epoch is wanted, and all processes end behind this one, as early stopping ends them.
    [[nodiscard]] virtual bool epochEnded(const wire::EpochResult& result) = 0;
};

}  // namespace lockstep::train
