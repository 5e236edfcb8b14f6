// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/train/checkpoints/part_restore.h"
#include "core/train/checkpoints/start_point.h"
#include "core/train/member.h"
#include "core/train/replica/job_context.h"
#include "core/train/replica/kept_steps.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::train {

/// Where the run begins, as all its processes have it: from a step that all have kept in memory,
/// else from the disk, else anew. The chief decides, the others hear of it. `kept`: null, where
/// none are kept; `restore`: null, but in a sharded mesh's first row; `former`: the chief's, of the
/// run that is resumed.
[[nodiscard]] Result<StartPoint> decideStart(const wire::WorkerConfig& config,
                                             const JobContext& context, Member& member,
                                             KeptSteps* kept, PartRestore* restore,
                                             const config::JobSpec* former);

}  // namespace lockstep::train
