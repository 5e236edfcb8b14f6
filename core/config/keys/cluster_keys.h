// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys/key_codec.h"

namespace lockstep::config {

// The keys of the cluster whose values are addresses, hosts or devices. Without name, unit and
// help.

[[nodiscard]] Key<JobSpec> addressesKey();
[[nodiscard]] Key<JobSpec> evaluatorKey();
[[nodiscard]] Key<JobSpec> hostsKey();
[[nodiscard]] Key<JobSpec> devicesPerProcessKey();
[[nodiscard]] Key<JobSpec> localDeviceIdsKey();

}  // namespace lockstep::config
