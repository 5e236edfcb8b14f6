// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/auto_shard.h"

#include <fmt/format.h>

#include "core/base/plural.h"

namespace lockstep::config {

Result<AutoShard> resolveAutoShard(AutoShard policy, int processes) {
    if (processes == 1 || policy == AutoShard::Auto) return AutoShard::Data;
    if (policy != AutoShard::File) return policy;
    return fail(
        ErrorCode::BadInput,
        fmt::format("data.auto_shard is \"file\", but files are not dealt out to processes: "
                    "each of {} reads all of them and keeps its part of every batch",
                    counted(processes, "process")),
        "Set data.auto_shard to \"data\", which is that.");
}

}  // namespace lockstep::config
