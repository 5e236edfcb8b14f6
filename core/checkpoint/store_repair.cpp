// SPDX-License-Identifier: Apache-2.0
// Damaged checkpoints are put aside, and the pointers name good ones again.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/free_path.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/layout.h"

namespace lockstep::checkpoint {

namespace fs = std::filesystem;

namespace {

Result<void> putAside(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (!error) return {};
    return fail(ErrorCode::Io,
                fmt::format("renaming {} to {}: {}", from.string(), to.string(), error.message()));
}

bool isAmong(const std::vector<std::int64_t>& steps, const Result<std::int64_t>& step) {
    return step && std::ranges::binary_search(steps, *step);
}

/// What cannot be read now may be whole.
Result<void> checkReadable(const Result<std::int64_t>& pointer) {
    using enum ErrorCode;
    const bool isKnown =
        pointer || pointer.error().code == Corrupt || pointer.error().code == NotFound;
    return isKnown ? Result<void>() : Result<void>(fail(pointer.error()));
}

}  // namespace

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
        const fs::path aside = freePath(folder_ / ("damaged-" + folderName(step)));
        TRY(putAside(folderOf(step), aside));
        done.push_back(fmt::format("checkpoints/{} is damaged, and is called {} now",
                                   folderName(step), aside.filename().string()));
    }
    TRY(syncFolder(folder_));
    if (const auto latest = this->latest(); !isAmong(good, latest)) {
        TRY(checkReadable(latest));
        TRY(replaceFileDurably(folder_ / kLatestFile, encodePointer(good.back())));
        done.push_back(fmt::format("checkpoints/LATEST names step {} now", good.back()));
    }
    const auto best = this->best();
    const bool isNamed = best || best.error().code != ErrorCode::NotFound;
    if (!isNamed || isAmong(good, best)) return done;
    TRY(checkReadable(best));
    // The newest checkpoint knows which was the best until then.
    const std::int64_t known = TRY(load(good.back())).state.best.step;
    if (std::ranges::binary_search(good, known)) {
        TRY(replaceFileDurably(folder_ / kBestFile, encodePointer(known)));
        done.push_back(fmt::format("checkpoints/BEST names step {} now", known));
        return done;
    }
    const fs::path aside = freePath(folder_ / "damaged-BEST");
    TRY(putAside(folder_ / kBestFile, aside));
    TRY(syncFolder(folder_));
    done.push_back(fmt::format("checkpoints/BEST names none that is good, and is called {} now",
                               aside.filename().string()));
    return done;
}

}  // namespace lockstep::checkpoint
