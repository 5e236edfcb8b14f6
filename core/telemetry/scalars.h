// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/telemetry/scalar_series.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// One number of a run, as the CSV export and the event files write it.
struct Scalar {
    double wallTime = 0;
    std::uint64_t step = 0;
    int processId = -1;    ///< -1: of the whole run.
    int replica = -1;      ///< -1: of the whole run.
    std::string_view tag;  ///< As in TensorBoard: "train/loss". Lives as long as its expander.
    double value = 0;
    bool named = false;  ///< Its tag was chosen by who reported it, and may be any text.
};

/// The scalars of records: per step and replica train/loss, train/accuracy, time/step_ms and the
/// times of its phases, time/data_ms to time/update_ms; per
/// epoch train/… and validation/… of the whole run; per evaluation evaluator/… (of the test set:
/// evaluator/test_…); and named figures under their names. Remembers which process a replica
/// belongs to and which names were registered.
class ScalarExpander {
public:
    /// Appends the scalars of `record` to `out`, in order of step.
    void expand(const wire::Record& record, std::vector<Scalar>& out);

private:
    void expandSteps(const wire::StepBatch& steps, std::vector<Scalar>& out) const;
    void expandNamed(const wire::ScalarBatch& batch, std::vector<Scalar>& out);
    [[nodiscard]] int processOf(int replica) const;

    std::map<int, int> processOfReplica_;
    SeriesBook book_;
    std::set<std::string, std::less<>> tags_;  ///< Of named scalars: one text for each.
};

}  // namespace lockstep::telemetry
