// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/coordination/client/client.h"

namespace lockstep::coordination {

/// The store as a program sees it, whose edits are confirmed, and who else is there. Every call
/// asks the coordinator and waits for its answer: PeerLost once the group has failed, Timeout where
/// the coordinator does not answer within 20 s. Thread-safe.
class StoreLink {
public:
    explicit StoreLink(Client& client) : client_(client) {}

    /// Returns once the coordinator has it. BadInput above a limit of the store.
    [[nodiscard]] Result<void> set(const std::string& key, const std::string& value);
    /// The key and all below it.
    [[nodiscard]] Result<void> erase(const std::string& key);
    /// Nothing where nobody has set it.
    [[nodiscard]] Result<std::optional<std::string>> find(const std::string& key);
    /// Names below the folder, in order; of all keys where it is empty.
    [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder);
    /// Ids of the workers that have neither left nor been lost, ascending.
    [[nodiscard]] Result<std::vector<int>> liveWorkers();

private:
    Client& client_;
};

}  // namespace lockstep::coordination
