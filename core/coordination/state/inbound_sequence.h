// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lockstep::coordination {

/// The numbered messages of one life of a process as they arrive, counted from 1. What SentWindow
/// is to their sender: it sends again what a broken connection took along, so some come twice.
class InboundSequence {
public:
    /// Takes the message `number` if it is the one that is due. One that was taken before comes
    /// again when its confirmation was lost; one behind a gap comes again after what is missing.
    [[nodiscard]] bool take(std::uint64_t number) {
        if (number != taken_ + 1) return false;
        taken_ = number;
        return true;
    }
    /// The newest message that was taken, and with it all before.
    [[nodiscard]] std::uint64_t taken() const { return taken_; }

    /// How many messages the sender does not know to be taken.
    [[nodiscard]] std::uint64_t unconfirmed() const { return taken_ - confirmed_; }
    void markConfirmed() { confirmed_ = taken_; }

private:
    std::uint64_t taken_ = 0;
    std::uint64_t confirmed_ = 0;
};

}  // namespace lockstep::coordination
