// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/auto_shard.h"

#include <fmt/format.h>

#include "core/base/plural.h"

namespace lockstep::config {

int trainingFiles(const DataSpec& data) {
    return data.dataset == "digits" ? 0 : 1;
}

Result<AutoShard> resolveAutoShard(AutoShard policy, int files, int processes) {
    if (processes == 1) return AutoShard::Data;
    if (policy == AutoShard::Auto) return files >= processes ? AutoShard::File : AutoShard::Data;
    if (policy != AutoShard::File || files >= processes) return policy;
    const std::string source = files == 0 ? std::string("is generated and has no files")
                                          : "has " + counted(files, "training file");
    return fail(
        ErrorCode::BadInput,
        fmt::format("data.auto_shard is \"file\", but the data set {} for {}: each needs a file of "
                    "its own, and files are not dealt out to processes yet",
                    source, counted(processes, "process")),
        "Set data.auto_shard to \"data\" (each process reads all and keeps its part) or \"auto\".");
}

}  // namespace lockstep::config
