// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/config/job/finding.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// Ports from `first` to `last`.
struct PortRange {
    int first = 0;
    int last = 0;
};

/// The ports that this system gives to outgoing connections by itself
/// (net.ipv4.ip_local_port_range); Linux's default where it cannot be read.
[[nodiscard]] PortRange ephemeralPorts();

/// What is wrong with one of several addresses. The message goes on where its name ends:
/// "is 127.0.0.1:5000, which process 0 has already".
struct AddressProblem {
    Severity severity = Severity::Error;
    std::size_t index = 0;
    std::string message;
    std::string remedy;
};

/// Addresses of the processes of one job, in order of process id: given twice, of this machine
/// alone among others, at a port that only root may open or that the system may hand out.
[[nodiscard]] std::vector<AddressProblem> addressProblems(const std::vector<Address>& addresses);

/// "is a:1, which is the address of process 0" for an evaluator that has a training process'
/// address.
[[nodiscard]] std::optional<AddressProblem> evaluatorProblem(const std::vector<Address>& addresses,
                                                             const Address& evaluator);

/// "a has 1 process, b has 2", when the hosts do not all have the same number; else empty.
[[nodiscard]] std::string unevenHosts(const std::vector<std::string>& hosts);

}  // namespace lockstep::config
