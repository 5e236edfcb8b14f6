// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/batch_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>

#include "core/base/file.h"

namespace lockstep::train {

Result<BatchWatch> batchWatchOfEnvironment(int replica) {
    const char* folder = std::getenv("LOCKSTEP_BATCH_SUMS");
    if (folder == nullptr || *folder == '\0') return BatchWatch();
    const std::string path = fmt::format("{}/replica-{}.txt", folder, replica);
    // A line is one write: what a process did before it was killed is there.
    auto file = std::make_shared<UniqueFd>(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!file->valid())
        return fail(ErrorCode::BadInput, fmt::format("cannot write {}: {}", path, errnoText()),
                    "LOCKSTEP_BATCH_SUMS names a folder that exists; unset it to train without.");
    return BatchWatch([file](std::int64_t step, std::uint64_t sum) {
        const std::string line = fmt::format("{} {:016x}\n", step, sum);
        std::ignore = ::write(file->get(), line.data(), line.size());
    });
}

}  // namespace lockstep::train
