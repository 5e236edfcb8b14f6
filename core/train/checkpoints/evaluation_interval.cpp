// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/evaluation_interval.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/plural.h"

namespace lockstep::train {

std::string adoptInterval(StartPoint& start, std::int64_t stepsPerEpoch) {
    if (!start.checkpoint) return {};
    checkpoint::TrainingState& state = start.checkpoint->state;
    const std::int64_t before = state.stepsPerEpoch;
    if (before <= 0 || before == stepsPerEpoch) return {};
    const auto epochAt = [stepsPerEpoch](std::int64_t step) {
        return step > 0 ? (step - 1) / stepsPerEpoch + 1 : 0;
    };
    state.best.epoch = epochAt(state.best.step);
    state.patience.bestEpoch = epochAt(state.patience.bestEpoch * before);
    state.stepsPerEpoch = stepsPerEpoch;
    start.epochSoFar = {};
    std::string sentence = fmt::format(
        "evaluations come every {} from here on, not every {} as before: training "
        "figures begin anew with step {}, and what early stopping and "
        "reduce_on_plateau have counted stays",
        counted(stepsPerEpoch, "step"), before, start.step + 1);
    if (std::exchange(start.epochEndDue, false))
        sentence +=
            fmt::format("; the evaluation of step {}, which was cut off, is left out", start.step);
    return sentence;
}

}  // namespace lockstep::train
