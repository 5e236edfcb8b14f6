// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/wire/keys.h"

namespace lockstep::coordination {

/// What a monitor speaks to a run's coordinator with. Whoever hosts the run leaves it to the other
/// programs of its user in a file (0600) of the user's runtime folder.
struct MonitorKey {
    std::string serverPublicKey;
    wire::KeyPair keys;
};

[[nodiscard]] Result<void> writeMonitorKey(const std::filesystem::path& file,
                                           const MonitorKey& key);
/// NotFound when the run has ended, or is not there yet.
[[nodiscard]] Result<MonitorKey> readMonitorKey(const std::filesystem::path& file);

}  // namespace lockstep::coordination
