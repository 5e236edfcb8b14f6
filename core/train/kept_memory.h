// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/collective/store.h"
#include "core/collective/topology.h"
#include "core/train/checkpoints/start_point.h"
#include "core/train/member.h"
#include "core/train/replica/job_context.h"
#include "core/train/replica/kept_steps.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::train {

/// The memory that this worker's agent holds for its steps, with what a former life of the worker
/// has kept there; null where the job keeps none. Unavailable: there is no memory for it.
[[nodiscard]] Result<std::unique_ptr<KeptSteps>> openKeptSteps(
    const wire::WorkerConfig& config, const JobContext& context,
    const collective::Topology& topology);

/// Where GPUs compute: nothing is kept. Unavailable where the run was to go on from what is.
[[nodiscard]] Result<void> giveUpKeptSteps(std::unique_ptr<KeptSteps>& kept, bool isStart);
/// Of a job that asks for it, where a run keeps none all the same.
[[nodiscard]] std::string notKeptText(bool isOnGpus);
/// Where the run goes on from what is kept: from which step, and who is given it.
[[nodiscard]] std::string goesOnText(const StartPoint& start);

/// By every process but the chief: what it can go on from.
[[nodiscard]] Result<void> offerKeptSteps(const wire::WorkerConfig& config, const KeptSteps* kept,
                                          collective::Store& store);
/// The same by the chief, once all have offered theirs, where the run begins again: the step that
/// all go on from; nothing where there is none, or the disk has a newer one. Then `notices` says
/// why, and also what is lost of a step that some are given.
[[nodiscard]] Result<std::optional<StartPoint>> startOfKeptSteps(const wire::WorkerConfig& config,
                                                                 const JobContext& context,
                                                                 KeptSteps* kept, Member& member,
                                                                 std::vector<std::string>& notices);

/// What this process has kept of other steps than the run's start is forgotten.
void goOnFrom(const StartPoint& start, std::uint32_t process, KeptSteps& kept);

}  // namespace lockstep::train
