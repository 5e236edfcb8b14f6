// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/wire/messages/doctor.pb.h"

namespace lockstep::launch {

/// Connects to every target, sends its token and waits for it to come back: to a thousand or so at
/// once, which have the request's timeout together. Looks names up first: may take seconds more.
[[nodiscard]] wire::ConnectionsTried tryConnections(const wire::TryConnections& request);

}  // namespace lockstep::launch
