// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/opened_network.h"

#include <fmt/format.h>

#include "core/base/try.h"
#include "core/job/source/remote_record.h"

namespace lockstep::job {

Result<train::SavedNetwork> openStep(const std::filesystem::path& runDir, std::int64_t step,
                                     const train::Warn& warn) {
    const auto folder = runDir / "checkpoints" / fmt::format("step-{}", step);
    std::error_code error;
    if (const auto remote = readRemoteRecord(runDir);
        remote && !std::filesystem::is_directory(folder, error))
        return fail(ErrorCode::NotFound,
                    fmt::format("the files of the checkpoint of step {} lie on {}, in {}", step,
                                remote->place.host, remote->place.runDir),
                    "Copy the folder checkpoints into that of the run here.");
    if (!std::filesystem::is_directory(folder, error))
        return fail(ErrorCode::NotFound,
                    fmt::format("the files of the checkpoint of step {} are gone", step),
                    "checkpoint.keep says how many of the newest stay, checkpoint.keep_best keeps "
                    "the best one, too.");
    return train::openSaved(folder, train::WhichCheckpoint::Result, warn);
}

Result<train::SavedNetwork> openNetwork(const NetworkPlace& place, const train::Warn& warn) {
    if (place.step > 0) return openStep(place.runDir, place.step, warn);
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
