// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/key_value_store.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/try.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/distribution/group_call.h"

namespace lockstep::distribution {

namespace {

using Limits = coordination::KeyValueStore;

Result<std::string> keyOf(const std::string& key) {
    return userName("a key", key, Limits::kMaxKeyBytes);
}

template <typename T>
Result<T> inUserWords(Result<T> result) {
    if (result) return result;
    return failInUserWords(std::move(result).error());
}

}  // namespace

Result<KeyValueStore> KeyValueStore::open() {
    return KeyValueStore(TRY(groupFor("a key-value store", false)));
}

Result<std::shared_ptr<ProcessGroup>> KeyValueStore::group() const {
    if (auto group = group_.lock()) return group;
    return fail(ErrorCode::PeerLost, "the group of this key-value store has been left",
                "Use it before shutdown().");
}

Result<void> KeyValueStore::set(const std::string& key, const std::string& value) const {
    const std::string own = TRY(keyOf(key));
    if (value.size() > Limits::kMaxValueBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("the value of '{}' has {} bytes; at most {} are possible", key,
                                value.size(), Limits::kMaxValueBytes));
    const auto group = TRY(this->group());
    return inUserWords(group->store().set(own, value));
}

Result<std::string> KeyValueStore::get(const std::string& key, double timeoutSeconds) const {
    const std::string own = TRY(keyOf(key));
    const Nanos timeout = TRY(waitTime(timeoutSeconds));
    const auto group = TRY(this->group());
    return inUserWords(group->get(own, timeout));
}

Result<std::optional<std::string>> KeyValueStore::tryGet(const std::string& key) const {
    const std::string own = TRY(keyOf(key));
    const auto group = TRY(this->group());
    return group->store().find(own);
}

Result<std::vector<std::string>> KeyValueStore::list(const std::string& folder) const {
    const std::string name = folder.ends_with('/') ? folder.substr(0, folder.size() - 1) : folder;
    const std::string own = name.empty() ? userFolder() : TRY(keyOf(name));
    const auto group = TRY(this->group());
    auto keys = TRY(group->store().list(own));
    for (std::string& key : keys)
        key = withoutPrefix(key);
    return keys;
}

Result<void> KeyValueStore::remove(const std::string& key) const {
    const std::string own = TRY(keyOf(key));
    const auto group = TRY(this->group());
    return group->store().erase(own);
}

}  // namespace lockstep::distribution
