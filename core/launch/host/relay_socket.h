// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// A unix socket on this machine whose connections lead to a socket of a host by way of its
/// service: for where sshd forbids forwarding. A limited number of connections, each with a limited
/// amount under way. One thread.
class RelaySocket {
public:
    /// `folder`: private to this user, and lives as long as this. BadInput for a path of 100
    /// characters or more, Io.
    [[nodiscard]] static Result<RelaySocket> open(const std::filesystem::path& folder,
                                                  std::string socketOfHost);
    RelaySocket(RelaySocket&& other) noexcept = default;
    RelaySocket& operator=(RelaySocket&& other) noexcept = default;
    ~RelaySocket();

    [[nodiscard]] const std::string& path() const { return path_; }

    void addTo(std::vector<pollfd>& watched) const;
    /// What to tell the host's service, after waiting.
    [[nodiscard]] std::vector<wire::ToHost> serve(const std::vector<pollfd>& watched);
    /// RelayData or RelayEnd from it.
    void take(const wire::FromHost& message);

private:
    struct Stream {
        UniqueFd connection;
        std::string toConnection;  ///< Not yet written.
    };

    RelaySocket(UniqueFd listener, std::string path, std::string socketOfHost)
        : listener_(std::move(listener)),
          path_(std::move(path)),
          socketOfHost_(std::move(socketOfHost)) {}
    void accept(std::vector<wire::ToHost>& messages);
    [[nodiscard]] static bool write(Stream& stream);

    UniqueFd listener_;
    std::string path_;
    std::string socketOfHost_;
    std::map<std::uint64_t, Stream> streams_;
    std::uint64_t lastStream_ = std::uint64_t{1} << 63;  ///< Apart from the numbers of requests.
};

}  // namespace lockstep::launch
