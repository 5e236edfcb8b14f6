// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace lockstep::tests {

/// What this process has read from files so far.
inline std::uint64_t bytesRead() {
    std::ifstream file("/proc/self/io");
    std::string word;
    std::uint64_t count = 0;
    file >> word >> count;
    return word == "rchar:" ? count : 0;
}

}  // namespace lockstep::tests
