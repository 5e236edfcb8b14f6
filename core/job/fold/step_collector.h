// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/job/fold/session.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// Whether all columns of the batch have the same length, and that is not zero.
[[nodiscard]] bool isWellFormed(const wire::StepBatch& batch);

/// Gathers batches of steps into columns until somebody takes them; batches of a start that follow
/// each other without a pause are joined. Takes well-formed batches only.
class StepCollector {
public:
    /// `firstEnd`: of its first step, in nanoseconds, by the coordinator's clock.
    void add(const wire::StepBatch& batch, int start, std::int64_t firstEnd);
    [[nodiscard]] std::vector<StepColumns> take();
    /// Steps waiting to be taken, of all replicas.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    std::vector<StepColumns> columns_;               // in order of their first arrival
    std::vector<double> ends_;                       // when the last step of each ended
    std::map<std::uint32_t, std::size_t> newestOf_;  // replica -> index of its newest columns
    std::size_t size_ = 0;
};

}  // namespace lockstep::job
