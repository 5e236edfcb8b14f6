// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::config {

/// The hosts of a Slurm node list, in its order: names with ranges in brackets, any number of
/// brackets in a name, text behind them, and lists within them. "n[08-10]" is n08, n09, n10;
/// "rack[1-2]-node[3,5]-ib" is rack1-node3-ib, rack1-node5-ib, rack2-node3-ib, rack2-node5-ib;
/// "n[1,a[2-3]]" is n1, na2, na3. At most 65536 hosts, brackets at most 8 deep.
/// BadInput shows the list and what is wrong with it.
[[nodiscard]] Result<std::vector<std::string>> expandNodeList(std::string_view list);

/// The values of Slurm's repeated counts, "2(x3),1" being 2, 2, 2, 1; at most 65536.
[[nodiscard]] Result<std::vector<int>> expandRepeatedCounts(std::string_view list);

}  // namespace lockstep::config
