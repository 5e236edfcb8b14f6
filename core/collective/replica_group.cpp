// SPDX-License-Identifier: Apache-2.0
#include "core/collective/replica_group.h"

#include "core/base/try.h"

namespace lockstep::collective {

using Kind = GroupFailure::Kind;

Result<void> ReplicaGroup::await(const std::atomic<std::uint64_t>& counter, std::uint64_t target,
                                 int index, Nanos deadline) {
    TRY(alive());
    const int process = processOf[static_cast<std::size_t>(index)];
    const auto reached = [&] { return counter.load(std::memory_order_seq_cst) >= target; };
    const WaitEnd end = waitUntil(segment->bell(), policy, deadline, reached, [&] {
        return segment->failure().has_value() || segment->processEnded(process);
    });
    switch (end) {
        case WaitEnd::Ready:
            segment->seen();
            return {};
        case WaitEnd::Interrupted:
            giveUp({Kind::ProcessEnded, topology.nameOfProcess(process)});
            break;
        case WaitEnd::TimedOut:
            giveUp({Kind::ReplicaSilent,
                    topology.nameOfReplica(replicas[static_cast<std::size_t>(index)])});
            break;
    }
    return alive();
}

Result<void> ReplicaGroup::check(TransferEnd end) {
    switch (end) {
        case TransferEnd::Done:
            return {};
        case TransferEnd::Aborted:
            giveUp({Kind::Aborted});
            break;
        case TransferEnd::PeerLost:
            giveUp({Kind::PeerLost, exchange->failedPeer()});
            break;
        case TransferEnd::TimedOut:
            giveUp({Kind::PeerSilent, exchange->failedPeer()});
            break;
    }
    return alive();
}

Result<void> ReplicaGroup::alive() const {
    const auto failure = segment->failure();
    if (failure) return fail(failure->toError());
    return {};
}

void ReplicaGroup::giveUp(GroupFailure failure) {
    segment->fail(failure);
    if (exchange) exchange->abort();
}

}  // namespace lockstep::collective
