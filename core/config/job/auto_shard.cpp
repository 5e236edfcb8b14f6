// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/auto_shard.h"

#include <fmt/format.h>

#include "core/base/plural.h"

namespace lockstep::config {

Result<AutoShard> resolveAutoShard(const DataSpec& data, int processes) {
    const AutoShard policy = data.autoShard;
    if (processes == 1 || policy == AutoShard::Auto) return AutoShard::Data;
    if (policy != AutoShard::File) return policy;
    if (data.dataset == "table") {
        if (data.files.size() >= static_cast<std::size_t>(processes)) return policy;
        return fail(ErrorCode::BadInput,
                    fmt::format("data.auto_shard is \"file\", but data.files names {} for {}",
                                counted(data.files.size(), "file"), counted(processes, "process")),
                    "Name a file or more for each process, or set data.auto_shard to \"data\".");
    }
    return fail(
        ErrorCode::BadInput,
        fmt::format("data.auto_shard is \"file\", but files are not dealt out to processes: "
                    "each of {} reads all of them and keeps its part of every batch",
                    counted(processes, "process")),
        "Set data.auto_shard to \"data\", which is that; only a table's files are dealt out.");
}

}  // namespace lockstep::config
