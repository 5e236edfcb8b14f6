// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::distribution {

class ProcessGroup;

/// Small values that the processes of a group tell each other: addresses, choices, what one of them
/// has measured. They lie at process 0 for as long as the group lasts. Keys are of 1 to 507 bytes
/// of UTF-8; with slashes they are paths: "rates/3" lies below "rates". Values are any bytes, at
/// most 256 KiB, all together at most 64 MiB. Every process of the group may read, replace and
/// remove them, the evaluator, too. (key_value_* of jax.distributed's client)
///
/// Every call asks process 0 and returns once it has answered: PeerLost when a process has died or
/// the group has been left, Timeout when there is no answer for about 20 s. Thread-safe.
class KeyValueStore {
public:
    /// That of the group which initialize() has formed. BadInput without one.
    [[nodiscard]] static Result<KeyValueStore> open();

    /// Every get() from now on, in any process, sees it; a former value is replaced. BadInput above
    /// a limit.
    [[nodiscard]] Result<void> set(const std::string& key, const std::string& value) const;
    /// Waits until some process has set the key. Timeout after `timeoutSeconds`.
    [[nodiscard]] Result<std::string> get(const std::string& key,
                                          double timeoutSeconds = 300) const;
    /// The value now; nothing where nobody has set the key.
    [[nodiscard]] Result<std::optional<std::string>> tryGet(const std::string& key) const;
    /// All keys below `folder`, in order, with their whole names: "a" lists "a/b" and "a/b/c", not
    /// "a" and "ab". Empty: all keys.
    [[nodiscard]] Result<std::vector<std::string>> list(const std::string& folder = {}) const;
    /// Removes the key, and all below it. Nothing happens where there are none.
    [[nodiscard]] Result<void> remove(const std::string& key) const;

private:
    explicit KeyValueStore(std::weak_ptr<ProcessGroup> group) : group_(std::move(group)) {}
    [[nodiscard]] Result<std::shared_ptr<ProcessGroup>> group() const;

    std::weak_ptr<ProcessGroup> group_;
};

}  // namespace lockstep::distribution
