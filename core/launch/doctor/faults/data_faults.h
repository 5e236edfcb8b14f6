// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/launch/doctor/faults/examination.h"
#include "core/launch/doctor/faults/fault_report.h"

namespace lockstep::launch {

/// Where the job's data lie, in words: the folder, or the files one by one.
[[nodiscard]] std::string dataPlacesText(const Examination& all);

/// The data that those of all hosts are held against: those of the first of the most hosts that
/// agree.
class DataReference {
public:
    explicit DataReference(const Examination& all);

    /// Data that are not there, cannot be read, or differ on this host.
    void findFaults(const ExaminedHost& host, FaultReport& report) const;

private:
    void addCopy(const ExaminedHost& to, FaultReport& report, HostFinding& finding) const;

    const ExaminedHost* host_ = nullptr;  ///< None has data.
};

}  // namespace lockstep::launch
