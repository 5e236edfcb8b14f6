// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/answered_edits.h"

#include <utility>

namespace lockstep::coordination {

const std::string* AnsweredEdits::find(const ProcessKey& process, std::uint64_t request) const {
    const auto own = answered_.find(process);
    if (own == answered_.end()) return nullptr;
    const auto found = own->second.find(request);
    return found == own->second.end() ? nullptr : &found->second;
}

void AnsweredEdits::note(const ProcessKey& process, std::uint64_t request, std::string error) {
    auto& own = answered_[process];
    own[request] = std::move(error);
    if (own.size() > kKept) own.erase(own.begin());
}

}  // namespace lockstep::coordination
