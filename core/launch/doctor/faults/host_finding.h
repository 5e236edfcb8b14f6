// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/job/finding.h"

namespace lockstep::launch {

/// What is checked, in the order of the matrix's columns.
enum class Check : std::uint8_t {
    Ssh,
    Build,
    Clock,
    Network,
    Coordinator,
    Data,
    Disk,
    Memory,
    Gpu,
    Leftovers,
};
inline constexpr std::size_t kCheckCount = 10;

/// "ssh", "leftovers".
[[nodiscard]] std::string_view toString(Check check);

/// A change of the job file that a button can make: as JobDocument::set takes it.
struct KeyChange {
    std::string key;
    std::string value;  ///< TOML.
    std::string label;  ///< "Let the system choose the port".
};

/// One thing that is wrong with a host, or between two.
struct HostFinding {
    std::string host;       ///< Where the fix belongs.
    std::string otherHost;  ///< The other one of a pair; empty: it concerns one host.
    Check check = Check::Ssh;
    config::Severity severity = config::Severity::Error;  ///< Error: it would stop the job.
    std::string sentence;
    std::string advice;   ///< What to do, in words; may be empty where there is a command.
    std::string command;  ///< To be run on this machine, exact; may be empty.
    std::optional<KeyChange> change;
};

}  // namespace lockstep::launch
