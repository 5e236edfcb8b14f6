// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/termination_watch.h"
#include "core/train/replica/training_listener.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::train {

/// What identifies this build: all processes of a job must run the same one.
[[nodiscard]] const char* buildId();

/// The life of a worker process: joins the job, trains its replicas, leaves. Returns whether it
/// was stopped on request. Every error has been reported to the coordinator when it comes back;
/// PeerLost and Timeout mean that another process is the cause. Where `termination` is given, a
/// SIGTERM to this process stops the job with a checkpoint; `listener`, where there is one, is told
/// of every batch and epoch.
[[nodiscard]] Result<bool> runWorker(const wire::WorkerConfig& config,
                                     TerminationWatch* termination = nullptr,
                                     TrainingListener* listener = nullptr);

/// The life of the evaluator process: scores every committed checkpoint on the validation set as
/// it appears, and the last one on the test set when training has ended.
[[nodiscard]] Result<void> runEvaluator(const wire::WorkerConfig& config,
                                        TerminationWatch* termination = nullptr);

}  // namespace lockstep::train
