// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace lockstep::checkpoint {

/// XXH3-128 as 32 hexadecimal digits. Finds accidents (bit rot, lost writes), not forgers.
[[nodiscard]] std::string hashOf(std::string_view bytes);

}  // namespace lockstep::checkpoint
