// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "core/base/file.h"
#include "core/base/result.h"

namespace lockstep::launch {

/// The memory in which the workers of a host keep their newest steps, one piece for each: the agent
/// holds it, so that it outlives them, and hands it to whoever takes their place. It has no name:
/// when the agent is gone, so is it.
class KeptMemory {
public:
    /// That of worker `process`, made when it is first asked for. Io where none can be had.
    [[nodiscard]] Result<int> of(std::uint32_t process);

private:
    std::map<std::uint32_t, UniqueFd> pieces_;
};

}  // namespace lockstep::launch
