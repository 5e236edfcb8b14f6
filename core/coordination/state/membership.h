// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/coordination/state/inbound_sequence.h"
#include "core/coordination/state/process_key.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

enum class MemberState : std::uint8_t {
    Present,
    Left,  ///< In order.
    Gone,  ///< Lost or ended: its incarnation is fenced.
};

struct Member {
    ProcessKey key;
    std::uint64_t incarnation = 0;
    std::string connection;  ///< Where answers go; empty while it is not connected.
    wire::Register facts;
    MemberState state = MemberState::Present;
    std::uint32_t firstReplica = 0;  ///< Index in the whole job; valid once all workers are there.
    InboundSequence inbound{};       ///< The messages that it numbered.

    /// `replica` counts those of the whole job; valid once all workers are there.
    [[nodiscard]] bool holds(std::uint32_t replica) const {
        return key.role == wire::ROLE_WORKER && replica >= firstReplica &&
               replica - firstReplica < facts.replicas();
    }
};

/// Who belongs to the present generation of the job. The workers form a barrier: they are
/// complete or they are nothing; evaluators and agents come and go outside of it.
class Membership {
public:
    struct Expectation {
        std::uint32_t workers = 1;
        std::uint32_t evaluators = 0;
        std::string build;  ///< Empty: that of the first worker.
    };

    explicit Membership(Expectation expectation)
        : expected_(std::move(expectation)), build_(expected_.build) {}

    enum class Admission : std::uint8_t { New, Again };
    /// A process registers. Again: the same life of it did before. Unavailable, with the sentence
    /// to tell it, for a second life beside the first, a wrong build, an id outside of the job.
    [[nodiscard]] Result<Admission> admit(const wire::Register& facts, std::uint64_t incarnation,
                                          const std::string& connection);

    /// Null for a process that has not registered.
    [[nodiscard]] Member* find(const ProcessKey& key);
    [[nodiscard]] const Member* find(const ProcessKey& key) const;
    [[nodiscard]] bool isFenced(const ProcessKey& key, std::uint64_t incarnation) const;
    void markLeft(const ProcessKey& key);
    /// Its incarnation never speaks again.
    void fence(const ProcessKey& key);
    /// The connection is no more: whoever used it is without one until it speaks again.
    void forgetConnection(const std::string& connection);

    /// Ids of the workers that have not registered, ascending.
    [[nodiscard]] std::vector<int> missingWorkers() const;
    /// Those of the role that have registered and neither left nor gone, in order of their ids.
    [[nodiscard]] std::vector<const Member*> present(wire::Role role) const;
    /// Numbers the replicas of all workers, once complete, and gives the roster: hosts numbered
    /// densely in order of first appearance, and the devices that each uses (assignDevices()).
    [[nodiscard]] wire::Welcome assignReplicas();
    [[nodiscard]] std::uint32_t replicaCount() const;
    /// Whose replica it is, once they have their numbers; null: the job has none of that number.
    [[nodiscard]] const Member* holderOf(std::uint32_t replica) const;

    [[nodiscard]] const std::map<ProcessKey, Member>& all() const { return members_; }
    /// Forgets workers and evaluators for a new generation. Agents and fences stay.
    void reset();

private:
    [[nodiscard]] Result<void> checkFacts(const ProcessKey& key, const wire::Register& facts);
    void giveDevices(wire::Welcome& welcome);

    const Expectation expected_;
    std::string build_;  // of this generation
    std::map<ProcessKey, Member> members_;
    std::set<std::pair<ProcessKey, std::uint64_t>> fenced_;
};

}  // namespace lockstep::coordination
