// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/launch/doctor/faults/examination.h"
#include "core/launch/doctor/faults/host_finding.h"

namespace lockstep::launch {

/// Collects findings; knows how commands reach a host. Used while findings are made.
class FaultReport {
public:
    explicit FaultReport(const Examination& all) : all_(all) {}

    /// The finding that was added, to complete it.
    HostFinding& error(const std::string& host, Check check, std::string sentence);
    HostFinding& warning(const std::string& host, Check check, std::string sentence);
    HostFinding& note(const std::string& host, Check check, std::string sentence);

    /// `command` as this machine runs it on the host: through ssh, or as it is.
    [[nodiscard]] std::string on(const std::string& host, const std::string& command) const;
    /// The job's addresses with one host or port replaced, as a change of the job file.
    [[nodiscard]] KeyChange withAddress(int process, const config::Address& address,
                                        std::string label) const;
    /// One name of the addresses replaced wherever it stands.
    [[nodiscard]] KeyChange withHost(const std::string& name, const std::string& address,
                                     std::string label) const;

    [[nodiscard]] const Examination& all() const { return all_; }
    [[nodiscard]] std::vector<HostFinding> take() { return std::move(findings_); }

private:
    HostFinding& add(const std::string& host, Check check, config::Severity severity,
                     std::string sentence);

    const Examination& all_;
    std::vector<HostFinding> findings_;
};

/// The text as one word of a POSIX shell.
[[nodiscard]] std::string shellWord(const std::string& text);

// The parts of findFaults, by what they look at.
void findHostFaults(FaultReport& report);    ///< ssh, build, clock, memory, leftovers.
void findFolderFaults(FaultReport& report);  ///< Run folder and data.
void findGpuFaults(FaultReport& report);
void findPortFaults(FaultReport& report);        ///< What cannot be listened at.
void findNameFaults(FaultReport& report);        ///< Names, routes, proxies.
void findConnectionFaults(FaultReport& report);  ///< Who does not reach whom.

}  // namespace lockstep::launch
