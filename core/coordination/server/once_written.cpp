// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/server/once_written.h"

#include <algorithm>
#include <utility>

namespace lockstep::coordination {

void OnceWritten::hold(std::uint64_t end, SendAction answer) {
    const auto same = std::ranges::find_if(held_, [&answer](const Held& one) {
        return one.answer.connection == answer.connection &&
               one.answer.message.generation() == answer.message.generation() &&
               one.answer.message.value().request() == answer.message.value().request();
    });
    if (same != held_.end()) {
        same->answer = std::move(answer);
        return;
    }
    if (held_.size() == kMost) held_.pop_front();
    held_.push_back({end, std::move(answer)});
}

std::vector<SendAction> OnceWritten::take(std::uint64_t written) {
    std::vector<SendAction> due;
    for (; !held_.empty() && held_.front().end <= written; held_.pop_front())
        due.push_back(std::move(held_.front().answer));
    return due;
}

void OnceWritten::keepOnly(std::uint32_t generation) {
    std::erase_if(held_, [generation](const Held& one) {
        return one.answer.message.generation() != generation;
    });
}

}  // namespace lockstep::coordination
