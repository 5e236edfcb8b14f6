// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::launch {

/// A packed build that hosts of one architecture can run: lockstep-worker and every library
/// outside the C library, as packaging/bundle.py makes it.
struct Bundle {
    std::string machine;  ///< As `uname -m` tells it.
    std::string hash;     ///< SHA-256 of the packed file: 64 hexadecimal digits.
    std::uint64_t bytes = 0;
    std::string glibc;           ///< The oldest version of it that the programs run with.
    std::filesystem::path file;  ///< lockstep-MACHINE.tar.gz
};

/// The bundles in `folder`; empty: beside the running program, in ../share/lockstep. NotFound when
/// there is none; Corrupt when one is not as its manifest says.
[[nodiscard]] Result<std::vector<Bundle>> findBundles(const std::filesystem::path& folder = {});

}  // namespace lockstep::launch
