// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/wire/messages/doctor.pb.h"

namespace lockstep::wire {

/// Connects to every target, sends its token and waits for it to come back: to a thousand or so at
/// once, which have the request's timeout together. Looks names up first: may take seconds more.
[[nodiscard]] ConnectionsTried tryConnections(const TryConnections& request);

}  // namespace lockstep::wire
