// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/host/host_requests.h"

namespace lockstep::launch {

/// What a service can be asked so that a run goes on from what another host has kept of it:
/// SurveyRun, ReadCheckpoint, StorePiece.
void addRestoreRequests(HostRequests& requests);

}  // namespace lockstep::launch
