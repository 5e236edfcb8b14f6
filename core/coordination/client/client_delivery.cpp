// SPDX-License-Identifier: Apache-2.0
// What a client does so that a broken connection loses nothing; the coordinator's half is Delivery.
#include <algorithm>

#include "core/coordination/client/client_loop.h"
#include "core/coordination/client/repeat_times.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kRepeatMax = 16s;     // pauses double up to it
constexpr Nanos kAskInterval = 20ms;  // while somebody waits for confirmation
constexpr std::size_t kBatchBytes = 128 << 10;

}  // namespace

void Client::Loop::drain(Nanos now) {
    Lock lock(mutex_);
    if (!registering_) return;  // nobody is heard before
    fillWindow();
    for (const std::string* bytes = window_.unsent(); bytes != nullptr; bytes = window_.unsent()) {
        const auto sent = socket_->trySend(*bytes);
        if (!sent || *sent != wire::Sent::Yes) break;
        window_.markSent();
    }
    askForConfirmation(now);
    if (!leaving_ || left_ || !allConfirmed() || now < nextLeave_) return;
    wire::ToCoordinator message = envelope();
    *message.mutable_leave() = *leaving_;
    if (trySend(std::move(message))) nextLeave_ = now + kRepeat;
}

/// What is to arrive goes by way of the window, numbered, so that a connection may break.
void Client::Loop::fillWindow() {
    for (; !outbox_.empty() && !window_.full(); outbox_.pop_front())
        addNumbered(std::move(outbox_.front()));
    // Records of a process that is not welcome yet would be refused.
    while (welcome_ && outbox_.empty() && !records_.empty() && !window_.full()) {
        wire::ToCoordinator message = envelope();
        *message.mutable_records() = records_.take(kBatchBytes);
        addNumbered(std::move(message));
    }
    changed_.notify_all();  // there is room for those who wait
}

void Client::Loop::addNumbered(wire::ToCoordinator message) {
    message.set_sequence(window_.nextNumber());
    auto bytes = wire::encode(std::move(message));
    if (bytes) window_.add(std::move(*bytes));  // callers check their sizes
}

/// The coordinator confirms now and then; the answer to a question confirms at once.
void Client::Loop::askForConfirmation(Nanos now) {
    if ((flushes_ == 0 && !leaving_) || window_.empty() || now < nextQuestion_) return;
    nextQuestion_ = now + kAskInterval;
    ping();
}

/// The process that hosts the coordinator waits for this before it ends. Each later question says
/// it again. An agent goes on, and is not awaited.
void Client::Loop::confirmEnd() {
    if (isAgent()) return;
    knowsEnd_ = true;
    ping();
}

/// A new connection knows nothing of what was under way in the former one; and what is not
/// confirmed for long came to a coordinator that did not know this process yet.
void Client::Loop::repeatUnconfirmed(const wire::LinkStatus& link, Nanos now) {
    const bool reconnected = link.connections > 1 && link.connections != connections_;
    connections_ = link.connections;
    if (repeatPatience_ == Nanos{} || !window_.anySent()) {
        repeatPatience_ = kRepeat;
        repeatAt_ = now + repeatPatience_;
    }
    const bool overdue = now >= repeatAt_ && link.state == wire::LinkState::Connected;
    if (!reconnected && !overdue) return;
    window_.rewind();
    repeatPatience_ = std::min(kRepeatMax, 2 * repeatPatience_);
    repeatAt_ = now + repeatPatience_;
}

}  // namespace lockstep::coordination
