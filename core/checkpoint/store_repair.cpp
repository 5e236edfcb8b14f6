// SPDX-License-Identifier: Apache-2.0
// Damaged checkpoints are put aside, and the pointers name good ones again.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/layout.h"

namespace lockstep::checkpoint {

namespace fs = std::filesystem;

Result<std::vector<std::string>> CheckpointStore::repair() {
    LS_CHECK(writerLock_.valid(), "only a store opened for writing is repaired");
    std::vector<std::int64_t> good;
    std::vector<std::int64_t> damaged;
    for (const std::int64_t step : TRY(list())) {
        const auto verified = verify(step);
        if (!verified && verified.error().code != ErrorCode::Corrupt)
            return fail(verified.error());  // what cannot be read now may be whole
        (verified ? good : damaged).push_back(step);
    }
    std::vector<std::string> done;
    // Where none is good a resume is to be refused, as it is now, rather than start over.
    if (good.empty()) {
        if (!damaged.empty()) done.emplace_back("no checkpoint is good: they stay where they are");
        return done;
    }
    for (const std::int64_t step : damaged) {
        const std::string aside = "damaged-" + folderName(step);
        std::error_code error;
        fs::rename(folderOf(step), folder_ / aside, error);
        if (error)
            return fail(ErrorCode::Io, fmt::format("renaming {} to {}: {}", folderOf(step).string(),
                                                   aside, error.message()));
        done.push_back(fmt::format("checkpoints/{} is damaged, and is called {} now",
                                   folderName(step), aside));
    }
    TRY(syncFolder(folder_));
    if (!std::ranges::binary_search(good, latest().value_or(-1))) {
        TRY(replaceFileDurably(folder_ / kLatestFile, encodePointer(good.back())));
        done.push_back(fmt::format("checkpoints/LATEST names step {} now", good.back()));
    }
    const auto best = this->best();
    const bool isNamed = best || best.error().code != ErrorCode::NotFound;
    if (isNamed && !std::ranges::binary_search(good, best.value_or(-1))) {
        std::error_code error;
        fs::remove(folder_ / kBestFile, error);
        TRY(syncFolder(folder_));
        done.emplace_back("checkpoints/BEST named none that is good, and is gone");
    }
    return done;
}

}  // namespace lockstep::checkpoint
