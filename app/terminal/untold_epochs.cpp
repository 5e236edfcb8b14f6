// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/untold_epochs.h"

namespace lockstep::app {

std::vector<job::EpochView> UntoldEpochs::take(const job::RunView& view) {
    std::vector<job::EpochView> untold;
    if (!view.caughtUp) return untold;
    for (const job::EpochView& epoch : view.epochResults) {
        const bool isCut = view.stepsPerEpoch > 0 && epoch.step % view.stepsPerEpoch != 0;
        const bool goesOn = isCut && epoch.step <= view.firstStep && epoch.step < view.totalSteps;
        if (epoch.step <= toldStep_ || goesOn) continue;
        toldStep_ = epoch.step;
        untold.push_back(epoch);
    }
    return untold;
}

}  // namespace lockstep::app
