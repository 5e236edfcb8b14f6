// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/kept_mark.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <system_error>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/folder_ops.h"
#include "core/checkpoint/layout.h"

namespace lockstep::checkpoint {

namespace fs = std::filesystem;

Result<void> markKept(const fs::path& checkpoints, std::int64_t step, bool keep) {
    const fs::path mark = checkpoints / keptMarkName(step);
    if (!keep) {
        std::error_code error;
        fs::remove(mark, error);
        if (!error) return {};
        return fail(ErrorCode::Io,
                    fmt::format("cannot remove {}: {}", mark.string(), error.message()));
    }
    const fs::path folder = checkpoints / folderName(step);
    // Held while the mark is made: whoever removes it either was before, or sees the mark.
    const auto held = lockFolder(folder, LockKind::Shared);
    if (!held && held.error().code == ErrorCode::Io) return fail(held.error());
    if (!held || !isStillAt(held->get(), folder))
        return fail(ErrorCode::NotFound,
                    fmt::format("the files of the checkpoint of step {} are gone", step));
    const UniqueFd made(::open(mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (made.valid()) return {};
    return fail(ErrorCode::Io, fmt::format("cannot make {}: {}", mark.string(), errnoText()));
}

bool isKept(const fs::path& checkpoints, std::int64_t step) {
    std::error_code unknown;
    return fs::exists(checkpoints / keptMarkName(step), unknown) || unknown;
}

}  // namespace lockstep::checkpoint
