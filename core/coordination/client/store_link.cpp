// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/store_link.h"

#include <iterator>
#include <tuple>
#include <utility>

#include "core/base/try.h"

namespace lockstep::coordination {

namespace {

constexpr std::chrono::seconds kPatience{20};  ///< The question is repeated meanwhile.

}  // namespace

Result<void> StoreLink::set(const std::string& key, const std::string& value) {
    wire::ToCoordinator question;
    question.mutable_edit()->set_key(key);
    question.mutable_edit()->set_value(value);
    std::ignore = TRY(client_.fetch(question, kPatience));
    return {};
}

Result<void> StoreLink::erase(const std::string& key) {
    wire::ToCoordinator question;
    question.mutable_edit()->set_key(key);
    question.mutable_edit()->set_erase(true);
    std::ignore = TRY(client_.fetch(question, kPatience));
    return {};
}

Result<std::optional<std::string>> StoreLink::find(const std::string& key) {
    wire::ToCoordinator question;
    question.mutable_get()->set_key(key);
    question.mutable_get()->set_only_if_there(true);
    auto value = client_.fetch(question, kPatience);
    if (value) return std::optional(std::move(*value));
    if (value.error().code == ErrorCode::NotFound) return std::nullopt;
    return fail(std::move(value).error());
}

Result<std::vector<std::string>> StoreLink::list(const std::string& folder) {
    wire::ToCoordinator question;
    question.mutable_list_keys()->set_folder(folder);
    std::vector<std::string> keys;
    for (bool more = true; more;) {
        const auto bytes = TRY(client_.fetch(question, kPatience));
        wire::KeyList page;
        if (!page.ParseFromString(bytes))
            return fail(ErrorCode::Corrupt, "the coordinator's list of keys cannot be read");
        std::ranges::move(*page.mutable_keys(), std::back_inserter(keys));
        more = page.more() && !keys.empty();
        if (more) question.mutable_list_keys()->set_after(keys.back());
    }
    return keys;
}

Result<std::vector<int>> StoreLink::liveWorkers() {
    wire::ToCoordinator question;
    question.mutable_ask_live();
    const auto bytes = TRY(client_.fetch(question, kPatience));
    wire::LiveProcesses live;
    if (!live.ParseFromString(bytes))
        return fail(ErrorCode::Corrupt, "the coordinator's list of processes cannot be read");
    return std::vector<int>(live.ids().begin(), live.ids().end());
}

}  // namespace lockstep::coordination
