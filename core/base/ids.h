// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

/// A number from the kernel's generator that names one life of one process: a restarted process
/// has another incarnation, so that messages of its former life can be told and refused.
[[nodiscard]] std::uint64_t newIncarnation();

/// `count` bytes from the kernel's generator, as lower-case hexadecimal digits.
[[nodiscard]] std::string randomHex(int count);

/// UTC as 20261120-140512, for names of folders.
[[nodiscard]] std::string utcStamp();

/// The name of this machine (gethostname).
[[nodiscard]] std::string hostName();

/// Equal for processes that can share memory by way of /proc: of one kernel's life, one namespace
/// of process ids and one user. Empty when the kernel does not say.
[[nodiscard]] std::string hostIdentity();

}  // namespace lockstep
