// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

namespace lockstep::tensor {

/// A queue of operations that a device runs in order. The CPU runs each when it is enqueued; on
/// other devices results are there after synchronize(). Belongs to one thread.
class Stream {
public:
    virtual ~Stream() = default;

    /// Waits until everything enqueued is done. Operations themselves do not fail: what went wrong
    /// on the device is reported here.
    [[nodiscard]] virtual Result<void> synchronize() = 0;
};

}  // namespace lockstep::tensor
