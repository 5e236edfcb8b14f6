// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/train/replica/gpu_choice.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::train {

/// Members of a mesh's row compute for themselves what all of them have whole: to the same bits on
/// processors of one kind alone; on GPUs of one kind, and, where the gradients are summed on the
/// host and it updates what is whole, on both. A sentence that names the first row, of so many
/// replicas, whose members' have different names; empty where there is none.
[[nodiscard]] std::string unlikeProcessors(const wire::Welcome& roster, int members,
                                           const GpuChoice& choice);

}  // namespace lockstep::train
