// SPDX-License-Identifier: Apache-2.0
#include "core/base/absolute_path.h"

namespace lockstep {

Result<std::filesystem::path> absolutePath(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::path whole = std::filesystem::absolute(path, error);
    if (!error) return whole.lexically_normal();
    return fail(ErrorCode::BadInput,
                path.string() + " is relative to the working directory, which cannot be found: " +
                    error.message(),
                "Change to a folder that is there, or give the whole path.");
}

}  // namespace lockstep
