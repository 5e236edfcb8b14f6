// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "core/wire/messages.pb.h"

namespace lockstep::telemetry {

/// One number of a run, as the CSV export and the event files write it.
struct Scalar {
    double wallTime = 0;
    std::uint64_t step = 0;
    int processId = -1;    ///< -1: of the whole run.
    int replica = -1;      ///< -1: of the whole run.
    std::string_view tag;  ///< As in TensorBoard: "train/loss". Lives for ever.
    double value = 0;
};

/// The scalars of records: per step and replica train/loss, train/accuracy, time/step_ms and the
/// times of its phases, time/data_ms to time/update_ms; per
/// epoch train/… and validation/… of the whole run; per evaluation evaluator/… (of the test set:
/// evaluator/test_…). Remembers which process a replica belongs to.
class ScalarExpander {
public:
    /// Appends the scalars of `record` to `out`, in order of step.
    void expand(const wire::Record& record, std::vector<Scalar>& out);

private:
    void expandSteps(const wire::StepBatch& steps, std::vector<Scalar>& out) const;
    std::map<std::uint32_t, int> processOfReplica_;
};

}  // namespace lockstep::telemetry
