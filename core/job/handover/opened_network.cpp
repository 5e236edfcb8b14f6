// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/opened_network.h"

#include "core/base/try.h"
#include "core/job/source/remote_record.h"

namespace lockstep::job {

Result<train::SavedNetwork> openNetwork(const NetworkPlace& place, const train::Warn& warn) {
    TRY(checkThatCheckpointsAreHere(place.runDir));
    auto saved = train::openSaved(
        place.runDir, place.best ? train::WhichCheckpoint::Best : train::WhichCheckpoint::Result,
        warn);
    if (!saved && place.best && saved.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::NotFound, "this run keeps no best checkpoint",
                    "Take the newest one. checkpoint.keep_best = true keeps the best of the next "
                    "run.");
    return saved;
}

}  // namespace lockstep::job
