// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/clock.h"

namespace lockstep {

/// What a program prints on standard output, up to 64 KiB; its standard error is dropped. Empty
/// when it cannot be started. Ended by force after `timeout`. For small questions to the system's
/// own programs; nothing secret may be in `arguments`.
[[nodiscard]] std::string outputOf(const std::filesystem::path& program,
                                   const std::vector<std::string>& arguments, Nanos timeout);

/// The program's path as a shell would find it; empty when it is not installed.
[[nodiscard]] std::filesystem::path findProgram(const std::string& name);

}  // namespace lockstep
