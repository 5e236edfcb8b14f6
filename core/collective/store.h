// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace lockstep::collective {

/// The job's key-value store, through which the processes tell each other where they listen.
/// Declared here, implemented above by the coordinator's client. Any thread may call.
class Store {
public:
    virtual ~Store() = default;

    /// Stores `value` (any bytes) under `key`. A key is written once.
    [[nodiscard]] virtual Result<void> set(std::string_view key, std::string_view value) = 0;
    /// The value of `key`, waiting up to `timeout` for somebody to set it. Timeout when nobody did;
    /// PeerLost or Cancelled when the store learns meanwhile that nobody will.
    [[nodiscard]] virtual Result<std::string> get(std::string_view key, Nanos timeout) = 0;
};

}  // namespace lockstep::collective
