// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/record_worth.h"

namespace lockstep::coordination {

telemetry::RecordWorth worthOf(const wire::Record& record) {
    // Named figures of the whole job are as few as its epochs.
    const bool ofReplica = record.has_scalars() && record.scalars().replica() >= 0;
    const bool isSample = record.has_steps() || ofReplica || record.has_heartbeat() ||
                          record.has_figures() || record.has_log();
    return isSample ? telemetry::RecordWorth::Sample : telemetry::RecordWorth::Event;
}

}  // namespace lockstep::coordination
