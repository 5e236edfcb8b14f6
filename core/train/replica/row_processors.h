// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/wire/messages/member.pb.h"

namespace lockstep::train {

/// Members of a mesh's row compute for themselves what all of them have whole: to the same bits on
/// processors (GPUs, for type "gpu") of one kind alone. A sentence that names the first row whose
/// members' processors have different names, of rows of so many replicas; empty where there is
/// none.
[[nodiscard]] std::string unlikeProcessors(const wire::Welcome& roster, int members,
                                           std::string_view type = "cpu");

}  // namespace lockstep::train
