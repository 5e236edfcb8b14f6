// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// Whoever looks on as epochs end in a process that trains, and may say that it is enough.
class EpochListener {
public:
    virtual ~EpochListener() = default;
    /// After each epoch, with its figures over all replicas, equal in every process; false: no
    /// further epoch is wanted, and all processes end behind this one, as early stopping ends them.
    /// Called on the step thread: all replicas wait for it.
    [[nodiscard]] virtual bool epochEnded(const wire::EpochResult& result) = 0;
};

}  // namespace lockstep::train
