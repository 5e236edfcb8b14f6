// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace lockstep::checkpoint {

/// Checks that `text` is one JSON object that is safe to build in memory: valid UTF-8, at most 8
/// levels deep, no key twice in an object, a bounded number of values. Builds nothing itself.
/// Corrupt otherwise. To be called before any parse of a file's JSON.
[[nodiscard]] Result<void> checkJson(std::string_view text);

}  // namespace lockstep::checkpoint
