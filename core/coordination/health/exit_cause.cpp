// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/exit_cause.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "core/base/exit_status.h"
#include "core/base/text.h"
#include "core/coordination/health/lost_peer_words.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

std::string signalText(int signal) {
    const char* name = sigabbrev_np(signal);
    return name == nullptr ? fmt::format("signal {}", signal)
                           : fmt::format("signal {} (SIG{})", signal, name);
}

/// By whoever ends processes: a user, a scheduler, a launcher that goes.
bool isFromOutside(int signal) {
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

/// A shell, and others that start programs, say so that a signal has ended what they had started.
constexpr int kStatusOfSignals = 128;

}  // namespace

ExitCause describeExit(const wire::ProcessExit& exit) {
    ExitCause cause;
    std::string lastError = wire::validUtf8(sanitizeLine(exit.last_error()));
    if (lastError.starts_with("error: ")) lastError.erase(0, 7);
    if (exit.signalled()) {
        cause.sentence = "was killed by " + signalText(exit.status());
        // Writing to a peer that has vanished ends a careless process: a follow-up. Libraries of a
        // program abort it once they find their peer gone.
        const bool isOftenFollowUp = exit.own_program() && exit.status() == SIGABRT;
        cause.decisive = exit.status() != SIGPIPE && !isOftenFollowUp;
        cause.followsAnother = isOftenFollowUp && tellsOfLostPeer(lastError);
        if (exit.out_of_memory()) {
            cause.sentence += kMemoryRanOut;
            cause.remedy = kMemoryRemedy;
            return cause;
        }
        if (!lastError.empty()) cause.sentence += ": " + lastError;
        cause.fromOutside = isFromOutside(exit.status());
        if (exit.status() == SIGKILL)
            cause.remedy =
                "If nobody killed it, its host may have run out of memory: see dmesg there.";
        return cause;
    }
    cause.failed = exit.status() != 0;
    // What its statuses mean is the program's own business: they are said as they are.
    if (exit.own_program()) {
        cause.sentence = fmt::format("exited with status {}", exit.status());
        if (!lastError.empty()) cause.sentence += ": " + lastError;
        cause.fromOutside = isFromOutside(exit.status() - kStatusOfSignals);
        cause.followsAnother = tellsOfLostPeer(lastError);
        return cause;
    }
    cause.badInput = exit.status() == kExitBadInput;
    cause.onRequest = exit.status() == kExitStopped;
    if (!cause.failed)
        cause.sentence = "ended before the training was complete";
    else if (!lastError.empty())
        cause.sentence = lastError;
    else
        cause.sentence = fmt::format("ended with exit status {}", exit.status());
    return cause;
}

}  // namespace lockstep::coordination
