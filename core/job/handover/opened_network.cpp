// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/opened_network.h"

#include <fmt/format.h>

#include "core/job/source/remote_record.h"

namespace lockstep::job {

Result<train::SavedNetwork> openNetwork(const NetworkPlace& place, const train::Warn& warn) {
    auto saved = train::openSaved(
        place.runDir, place.best ? train::WhichCheckpoint::Best : train::WhichCheckpoint::Result,
        warn);
    if (!saved && saved.error().code == ErrorCode::NotFound) {
        // The folder here has the records alone.
        if (const auto remote = readRemoteRecord(place.runDir))
            return fail(ErrorCode::NotFound,
                        fmt::format("the checkpoints of this run lie on {}, in {}",
                                    remote->place.host, remote->place.runDir),
                        "Ask and export there with `lockstepctl predict` and `lockstepctl export`, "
                        "or copy the folder checkpoints into that of the run here.");
    }
    if (!saved && place.best && saved.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::NotFound, "this run keeps no best checkpoint",
                    "Take the newest one. checkpoint.keep_best = true keeps the best of the next "
                    "run.");
    return saved;
}

}  // namespace lockstep::job
