// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/launch/doctor/faults/examination.h"
#include "core/launch/doctor/faults/host_finding.h"

namespace lockstep::launch {

enum class CellState : std::uint8_t {
    Pending,        ///< Not examined yet.
    Running,        ///< Being examined.
    Unknown,        ///< Could not be examined, since the host is not reached.
    NotApplicable,  ///< This job does not ask it of this host.
    Ok,
    Note,
    Warning,
    Failure,
};

/// One cell of the matrix.
struct CheckCell {
    CellState state = CellState::Pending;
    std::string word;    ///< A word or a figure: "ok", "12 GiB free", "no".
    std::string detail;  ///< Some sentences or lines: what was found, and why.
};

/// What the matrix shows for a host and a check. `findings`: of the same examination.
[[nodiscard]] CheckCell cellOf(const Examination& all, const std::vector<HostFinding>& findings,
                               std::size_t at, Check check);

}  // namespace lockstep::launch
