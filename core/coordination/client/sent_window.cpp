// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/sent_window.h"

#include <utility>

namespace lockstep::coordination {

void SentWindow::add(std::string bytes) {
    bytes_ += bytes.size();
    messages_.push_back(std::move(bytes));
}

const std::string* SentWindow::unsent() const {
    return sent_ < messages_.size() ? &messages_[sent_] : nullptr;
}

bool SentWindow::confirm(std::uint64_t number) {
    bool news = false;
    // Never more than was sent: a coordinator cannot have taken what has not left.
    for (; confirmed_ < number && !messages_.empty(); ++confirmed_, news = true) {
        bytes_ -= messages_.front().size();
        messages_.pop_front();
        if (sent_ > 0) --sent_;
    }
    return news;
}

}  // namespace lockstep::coordination
