// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/monitor/monitor_admission.h"

#include <algorithm>
#include <array>

#include "core/base/try.h"
#include "core/wire/codec.h"
#include "core/wire/socket.h"

namespace lockstep::coordination {

namespace {
constexpr Millis kLook{200};
}

Result<void> admitMonitor(const wire::Context& context, const MonitorOptions& own,
                          const std::string& publicKey, Nanos timeout) {
    auto socket = wire::ClientSocket::connect(context, own.endpoint, own.serverPublicKey, own.keys);
    if (!socket) return fail(std::move(socket.error()));
    wire::FromMonitor message;
    message.set_run_id(own.runId);
    message.mutable_admit()->set_public_key(publicKey);
    const auto bytes = TRY(wire::encode(std::move(message)));
    const Nanos deadline = SteadyClock::read() + timeout;
    bool sent = false;
    for (Nanos now = SteadyClock::read(); now < deadline; now = SteadyClock::read()) {
        if (!sent) {
            const auto queued = (*socket)->trySend(bytes);
            sent = queued && *queued == wire::Sent::Yes;
        }
        auto answer = (*socket)->receive();
        if (!answer) return fail(std::move(answer.error()));
        if (*answer) {
            const auto reply = TRY(wire::decode<wire::FromCoordinator>(**answer));
            if (!reply.has_reply()) continue;
            if (reply.reply().error().empty()) return {};
            return fail(ErrorCode::Unavailable, reply.reply().error());
        }
        const wire::LinkStatus& link = (*socket)->status();
        if (link.state == wire::LinkState::Refused || link.state == wire::LinkState::WrongServer)
            return fail(ErrorCode::Unavailable, link.sentence);
        const std::array<wire::Pollable*, 1> sockets{socket->get()};
        auto waited = wire::waitReadable(sockets, nullptr, std::min<Nanos>(deadline - now, kLook));
        if (!waited) return fail(std::move(waited.error()));
    }
    return fail(ErrorCode::Timeout, "the coordinator of the run does not answer");
}

}  // namespace lockstep::coordination
