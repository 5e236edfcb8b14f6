// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint {

/// Asked behind the copy of a snapshot: whether its sources are what they should be, and with it
/// what was copied. Whoever looks only before does not see what changes meanwhile. An error: the
/// copy is not kept, for this reason. Empty: nobody asks.
using CopyCheck = std::function<Result<void>()>;

/// A snapshot with its own memory, which is reused from one checkpoint to the next.
class SnapshotCopy {
public:
    void assign(const Snapshot& source) {
        std::size_t total = 0;
        for (const auto* tensors : {&source.model, &source.optimizer})
            for (const TensorRef& tensor : *tensors)
                total += tensor.values.size();
        values_.resize(total);
        snapshot_ = source;
        float* place = values_.data();
        for (auto* tensors : {&snapshot_.model, &snapshot_.optimizer})
            for (TensorRef& tensor : *tensors) {
                std::copy(tensor.values.begin(), tensor.values.end(), place);
                tensor.values = std::span<const float>(place, tensor.values.size());
                place += tensor.values.size();
            }
    }
    [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
    /// Gives its memory back.
    void clear() {
        values_ = std::vector<float>();
        snapshot_ = Snapshot();
    }

private:
    std::vector<float> values_;
    Snapshot snapshot_;
};

}  // namespace lockstep::checkpoint
