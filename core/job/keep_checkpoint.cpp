// SPDX-License-Identifier: Apache-2.0
#include "core/job/keep_checkpoint.h"

#include "core/base/try.h"
#include "core/checkpoint/kept_mark.h"
#include "core/job/source/remote_record.h"

namespace lockstep::job {

Result<void> keepCheckpoint(const std::filesystem::path& runDir, std::int64_t step, bool keep) {
    TRY(checkThatCheckpointsAreHere(runDir));
    return checkpoint::markKept(runDir / "checkpoints", step, keep);
}

}  // namespace lockstep::job
