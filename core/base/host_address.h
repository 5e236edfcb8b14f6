// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

/// The numeric address of a host, by the system's resolver; a name that it does not know is looked
/// up in Slurm's own table of nodes (`scontrol show node`), whose names need not resolve.
/// Unavailable when neither knows it. Blocks for as long as the resolver does.
[[nodiscard]] Result<std::string> addressOfHost(const std::string& host);

/// This machine's address on the way to `numericHost`: what a process over there reaches it at.
/// 127.0.0.1 when there is no way.
[[nodiscard]] std::string ownAddressToward(const std::string& numericHost);

/// Whether `numericHost` is an address of this machine.
[[nodiscard]] bool isOwnAddress(const std::string& numericHost);

/// The NodeAddr of what `scontrol show node` printed; empty when there is none.
[[nodiscard]] std::string nodeAddressIn(std::string_view scontrolOutput);

}  // namespace lockstep
