// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::data {

/// A regular file in an archive, or a link to one of them, which has its content.
struct TarEntry {
    std::string name;  ///< With "/" between names, without "./" before them.
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
    std::string linkedTo{};  ///< Of a link that leads to none of its files: where to; else empty.
};

/// The regular files of a tar archive, and its links: ustar, with the long names of GNU and of pax.
/// Of entries with one name the last one counts, as when they are unpacked. BadInput, as
/// what goes on after a name ("it is …"), for what is none, is cut off, or has a sum that is wrong.
[[nodiscard]] Result<std::vector<TarEntry>> readTar(std::string_view archive);

}  // namespace lockstep::data
