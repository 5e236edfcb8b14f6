// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/coordination/exchange/answered_edits.h"
#include "core/coordination/exchange/barrier_table.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// What processes ask of each other by way of the coordinator: values and barriers. Every request
/// is answered once it can be, at its deadline, or when the generation ends.
class RequestDesk {
public:
    RequestDesk(const JobState& job, const Membership& members, Outbox& outbox)
        : job_(job), members_(members), outbox_(outbox), barriers_(job.rules().workers) {}

    /// Nothing is known and nobody waits; `abort` answers the former generation before.
    void beginGeneration();

    void set(const wire::KeyValueSet& set, Instant at);
    /// A value that the coordinator itself tells to whoever asks for it.
    void publish(std::string_view key, const std::string& value);
    void get(const Member& member, const wire::KeyValueGet& get, Nanos now);
    /// As set(), or an erasure; answered once it is done, and done once.
    void edit(const Member& member, const wire::StoreEdit& edit);
    void list(const Member& member, const wire::ListKeys& list);
    /// Which workers have neither left nor been lost.
    void tellLive(const Member& member, const wire::AskLive& ask);
    void enterBarrier(const Member& member, const wire::BarrierEnter& enter, Nanos now);

    /// A process that is no more waits for nothing.
    void forget(const ProcessKey& process);
    /// A worker has left in order: barriers that wait for it fail.
    void leave(const ProcessKey& worker);
    /// Answers those whose deadline has come.
    void expire(Nanos now);
    /// Answers all who wait: they get nothing any more, and this is why.
    void abort(const std::string& reason);

private:
    using Reply = wire::FromCoordinator (*)(const RequestAnswer&);
    void answer(const std::vector<RequestAnswer>& answers, Reply replyOf);

    const JobState& job_;
    const Membership& members_;
    Outbox& outbox_;
    KeyValueStore store_;
    AnsweredEdits edits_;
    BarrierTable barriers_;
};

}  // namespace lockstep::coordination
