// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// Streams between the launcher and unix sockets of this host, for where sshd forbids forwarding.
/// A limited number, each with a limited amount under way. One thread.
class ServiceRelays {
public:
    /// RelayOpen, RelayData or RelayEnd. What there is to answer.
    [[nodiscard]] std::vector<wire::FromHost> take(const wire::ToHost& message);

    /// What to wait for. `mayRead`: whether the launcher takes more.
    void addTo(std::vector<pollfd>& watched, bool mayRead) const;
    /// Moves bytes to and from the sockets that are ready.
    [[nodiscard]] std::vector<wire::FromHost> serve(const std::vector<pollfd>& watched);

private:
    struct Stream {
        UniqueFd socket;
        std::string toSocket;  ///< Not yet written.
    };

    [[nodiscard]] std::string open(std::uint64_t id, const std::string& path);
    /// Why the stream is over; empty while it is not.
    [[nodiscard]] static std::string write(Stream& stream);
    [[nodiscard]] wire::FromHost close(std::uint64_t id, const std::string& error);

    std::map<std::uint64_t, Stream> streams_;
};

}  // namespace lockstep::launch
