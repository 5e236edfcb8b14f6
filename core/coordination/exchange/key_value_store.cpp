// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/key_value_store.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace lockstep::coordination {

namespace {

std::string timeoutSentence(const std::string& key, Nanos timeout) {
    return fmt::format("{}: nobody has set the key '{}' within {:.1f} s", kTimeoutWord,
                       sanitizeLine(key, 80), Seconds(timeout).count());
}

}  // namespace

Result<std::vector<RequestAnswer>> KeyValueStore::set(const std::string& key,
                                                      const std::string& value) {
    if (key.empty() || key.size() > kMaxKeyBytes)
        return fail(ErrorCode::BadInput, fmt::format("a key of {} bytes; 1 to {} are possible",
                                                     key.size(), kMaxKeyBytes));
    if (value.size() > kMaxValueBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("the value of '{}' has {} bytes; at most {} are possible",
                                sanitizeLine(key, 80), value.size(), kMaxValueBytes));
    const auto known = values_.find(key);
    const std::size_t former = known == values_.end() ? 0 : key.size() + known->second.size();
    const std::size_t total = totalBytes_ - former + key.size() + value.size();
    if (total > kMaxTotalBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("the key-value store is full ({} bytes) and cannot take '{}'",
                                kMaxTotalBytes, sanitizeLine(key, 80)));
    totalBytes_ = total;
    values_[key] = value;
    std::vector<RequestAnswer> answers;
    for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
        if (waiting->second.key != key) {
            ++waiting;
            continue;
        }
        answers.push_back({waiting->first.first, waiting->first.second, value, {}});
        waiting = waiting_.erase(waiting);
    }
    return answers;
}

std::vector<RequestAnswer> KeyValueStore::get(const ProcessKey& process, std::uint64_t request,
                                              const std::string& key, Nanos timeout, Nanos now) {
    if (const auto found = values_.find(key); found != values_.end())
        return {{process, request, found->second, {}}};
    if (timeout <= Nanos{}) return {{process, request, {}, timeoutSentence(key, timeout)}};
    if (waiting_.size() >= kMaxWaiting)
        return {
            {process,
             request,
             {},
             fmt::format("{}: more than {} requests wait for keys", kAbortedWord, kMaxWaiting)}};
    waiting_.try_emplace({process, request}, Waiting{key, now + timeout, timeout});
    return {};
}

Result<std::string> KeyValueStore::find(const std::string& key) const {
    if (const auto found = values_.find(key); found != values_.end()) return found->second;
    return fail(ErrorCode::NotFound,
                fmt::format("nobody has set the key '{}'", sanitizeLine(key, 80)));
}

void KeyValueStore::erase(const std::string& key) {
    const std::string below = key + "/";
    const auto remove = [this](auto entry) {
        totalBytes_ -= entry->first.size() + entry->second.size();
        return values_.erase(entry);
    };
    if (const auto found = values_.find(key); found != values_.end()) remove(found);
    for (auto entry = values_.lower_bound(below);
         entry != values_.end() && entry->first.starts_with(below);)
        entry = remove(entry);
}

KeyValueStore::Page KeyValueStore::list(const std::string& folder, const std::string& after) const {
    const std::string below = folder.empty() ? std::string() : folder + "/";
    Page page;
    std::size_t bytes = 0;
    auto entry = after < below ? values_.lower_bound(below) : values_.upper_bound(after);
    for (; entry != values_.end() && entry->first.starts_with(below); ++entry) {
        bytes += entry->first.size();
        page.more = bytes > kMaxPageBytes;
        if (page.more) break;
        page.keys.push_back(entry->first);
    }
    return page;
}

std::vector<RequestAnswer> KeyValueStore::expire(Nanos now) {
    std::vector<RequestAnswer> answers;
    for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
        const auto& [who, what] = *waiting;
        if (now < what.deadline) {
            ++waiting;
            continue;
        }
        answers.push_back({who.first, who.second, {}, timeoutSentence(what.key, what.timeout)});
        waiting = waiting_.erase(waiting);
    }
    return answers;
}

std::vector<RequestAnswer> KeyValueStore::abort(const std::string& reason) {
    std::vector<RequestAnswer> answers;
    for (const auto& [who, what] : waiting_)
        answers.push_back({who.first, who.second, {}, fmt::format("{}: {}", kAbortedWord, reason)});
    waiting_.clear();
    return answers;
}

void KeyValueStore::forget(const ProcessKey& process) {
    std::erase_if(waiting_, [&](const auto& entry) { return entry.first.first == process; });
}

void KeyValueStore::clear() {
    values_.clear();
    waiting_.clear();
    totalBytes_ = 0;
}

}  // namespace lockstep::coordination
