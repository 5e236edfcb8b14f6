// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/steps_desk.h"

#include <algorithm>
#include <utility>

namespace lockstep::coordination {

void StepsDesk::await(const Member& chief, const wire::AwaitSteps& question) {
    std::erase_if(waiting_, [&](const Question& one) {  // it is asked again until it is answered
        return one.process == chief.key && one.request == question.request();
    });
    waiting_.push_back({chief.key, question.request(), static_cast<std::int64_t>(question.step())});
    look();
}

void StepsDesk::look() {
    if (waiting_.empty()) return;
    const std::int64_t told = toldByAll();
    std::erase_if(waiting_, [&](const Question& one) {
        if (one.step > told) return false;
        wire::FromCoordinator answer;
        answer.mutable_value()->set_request(one.request);
        if (const Member* member = members_.find(one.process))
            outbox_.sendOnceWritten(*member, std::move(answer));
        return true;
    });
}

/// The newest step up to which all replicas have told theirs.
std::int64_t StepsDesk::toldByAll() const {
    const auto newest = journalled_.newest(members_.replicaCount());
    const auto least = std::ranges::min_element(newest);
    return least == newest.end() ? telemetry::JournalledSteps::kUnknown : *least;
}

}  // namespace lockstep::coordination
