// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netdb.h>

#include <memory>
#include <string>

#include "core/base/result.h"

namespace lockstep::wire {

struct AddressListDeleter {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressListDeleter>;

/// The TCP addresses of a name or number. NotFound with what the system says. Blocks for some
/// seconds at most where name servers do not answer: this thread's resolver is told not to insist.
[[nodiscard]] Result<AddressList> resolveBriefly(const std::string& host, unsigned port);

/// The address without its port: "10.0.0.7". Empty when it has none.
[[nodiscard]] std::string numericAddress(const sockaddr* address, socklen_t size);
/// Of this end of a socket that is connected or bound.
[[nodiscard]] std::string ownNumericAddress(int socket);

}  // namespace lockstep::wire
