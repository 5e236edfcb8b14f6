// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// More processes than this are refused wherever a cluster is described.
inline constexpr int kMostProcesses = 4096;

/// Reads `host:port`, `1.2.3.4:port` or `[ipv6]:port`; the port is 0 to 65535 and must be there.
/// BadInput names the text and the reason.
[[nodiscard]] Result<Address> parseAddress(std::string_view text);

/// Reads `host:port,host:port`; blanks around the commas are allowed, empty items are not.
[[nodiscard]] Result<std::vector<Address>> parseAddresses(std::string_view text);

/// `host:port,host:port`, the form that Keras' environment variable takes.
[[nodiscard]] std::string toString(const std::vector<Address>& addresses);

/// Whether only this machine can reach the host: localhost, 127.0.0.0/8 or ::1.
[[nodiscard]] bool isLoopback(std::string_view host);

/// The host of each process, in order of process id: the addresses' hosts, or `launch.hosts` where
/// only the coordinator's address is known. Shorter than numProcesses where neither names them all.
[[nodiscard]] std::vector<std::string> processHosts(const JobSpec& spec);

/// The same job on this machine: `processes` (at least 1) local processes on 127.0.0.1 with ports
/// chosen at launch; the evaluator, when there is one, is local too.
[[nodiscard]] JobSpec withLocalProcesses(JobSpec spec, int processes);

}  // namespace lockstep::config
