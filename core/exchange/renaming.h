// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep::exchange {

/// A name's beginning there, and what it is here; "" begins every name.
using Rename = std::pair<std::string, std::string>;
using Renames = std::vector<Rename>;

/// The one of the longest beginning that `theirs` has; null: it keeps its name.
[[nodiscard]] const Rename* renameOf(const Renames& renames, const std::string& theirs);
[[nodiscard]] std::string renamed(const Renames& renames, const std::string& theirs);

/// `renames` and `one`, which replaces that of its beginning, without those that rename none of
/// `theirs`.
[[nodiscard]] Renames withRename(Renames renames, const Rename& one,
                                 const std::vector<std::string>& theirs);

/// What programs put before names when they wrap a network, by how many more names fit then, most
/// first: `besides` are names there that nothing here has, `missing` the other way round.
[[nodiscard]] Renames likelyRenames(const std::vector<std::string>& besides,
                                    const std::vector<std::string>& missing);

}  // namespace lockstep::exchange
