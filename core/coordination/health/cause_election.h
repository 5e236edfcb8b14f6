// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/health/lost_connections.h"
#include "core/coordination/state/process_key.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

/// How much a piece of evidence says about the cause. When one process dies, the others fail a
/// moment later because of it, and their reports may arrive first.
enum class EvidenceWeight : std::uint8_t {
    FollowUp,  ///< "I cannot go on because another one is gone."
    Exit,      ///< It ended with an error status: perhaps the cause, perhaps a follow-up.
    Decisive,  ///< Killed, silent, or its own words for its own error.
};

struct Evidence {
    EvidenceWeight weight = EvidenceWeight::Decisive;
    wire::Failure failure;
    wire::ErrorKind kind = wire::ERROR_JOB_FAILED;
    std::string remedy;
    std::string whereToLook{};  ///< A line behind it, which holds in a drill, too.
    bool bySilence = false;     ///< Nothing was seen but that nothing was heard.
    bool isFinal = false;       ///< The job is not to be restarted because of it.
    /// What another start meets does not depend on it: a kill, a machine that slept.
    bool fromOutside = false;
    /// More of the same is to come from the process's agent, which takes this one's place.
    bool isForetold = false;
    /// Of a follow-up: the process to which it has lost its connection, without a cause.
    std::optional<wire::Failure> lostPeer{};
};

/// Names the one cause of a generation's end: decisive evidence at once, otherwise the weightiest
/// (then the earliest) that has come within a grace time after the first. Where all only tell of
/// lost connections it is the process at which most of these end. No clock, no thread.
class CauseElection {
public:
    /// How long evidence of each lesser weight waits for a better one, from the first on; a
    /// follow-up from when it is known for one: what was foretold of it did not say so.
    struct Graces {
        Nanos exit{};
        Nanos followUp{};
        Nanos foretold{};  ///< What is foretold, whatever its weight, for what takes its place.
    };

    CauseElection(Graces graces, std::uint32_t workers) : graces_(graces), workers_(workers) {}

    void add(Evidence evidence, Nanos now);
    /// What is foretold of `process` does not come: it has left in order.
    void withdraw(const ProcessKey& process);
    /// The cause, once, as soon as it is certain; nothing before and ever after.
    [[nodiscard]] std::optional<Evidence> decide(Nanos now);
    /// Something has happened, and its cause is not certain yet.
    [[nodiscard]] bool undecided() const;

private:
    struct Heard {
        Evidence evidence;
        Nanos at{};  ///< First of it.
    };
    [[nodiscard]] bool saidFollowUp(const wire::Failure& who) const;
    [[nodiscard]] bool takesPlace(Evidence& evidence);
    [[nodiscard]] Nanos followUpGrace() const;
    [[nodiscard]] Evidence causeOfFollowUps(const Evidence& earliest) const;
    [[nodiscard]] LostConnections lostConnections() const;

    Graces graces_;
    std::uint32_t workers_;
    std::vector<Heard> evidence_;
    Nanos firstSeen_{};
    bool decided_ = false;
};

}  // namespace lockstep::coordination
