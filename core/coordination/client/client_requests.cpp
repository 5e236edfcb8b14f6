// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/client_requests.h"

#include "core/coordination/core/key_value_store.h"
#include "core/coordination/server/checkpoint_server.h"

namespace lockstep::coordination {

Error answerError(const std::string& error) {
    const std::size_t text = error.find(": ");
    std::string sentence = text == std::string::npos ? error : error.substr(text + 2);
    if (error.starts_with(kTimeoutWord)) return {ErrorCode::Timeout, std::move(sentence)};
    return {fetchErrorCode(error.substr(0, text)).value_or(ErrorCode::PeerLost),
            std::move(sentence)};
}

void setNumber(wire::ToCoordinator& message, std::uint64_t request) {
    if (message.has_get())
        message.mutable_get()->set_request(request);
    else if (message.has_fetch_list())
        message.mutable_fetch_list()->set_request(request);
    else if (message.has_fetch_piece())
        message.mutable_fetch_piece()->set_request(request);
    else
        message.mutable_barrier()->set_request(request);
}

}  // namespace lockstep::coordination
