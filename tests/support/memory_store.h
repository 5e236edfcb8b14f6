// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/base/mutex.h"
#include "core/collective/store.h"

namespace lockstep::tests {

/// A key-value store for the threads of one process.
class MemoryStore final : public collective::Store {
public:
    [[nodiscard]] Result<void> set(std::string_view key, std::string_view value) override {
        {
            Lock lock(mutex_);
            values_[std::string(key)] = std::string(value);
        }
        changed_.notify_all();
        return {};
    }
    [[nodiscard]] Result<std::string> get(std::string_view key, Nanos timeout) override {
        const std::string name(key);
        Lock lock(mutex_);
        if (!changed_.wait_for(mutex_, timeout, [&] { return values_.count(name) > 0; }))
            return fail(ErrorCode::Timeout, "nobody set the key " + name);
        return values_.at(name);
    }

private:
    Mutex mutex_;
    ConditionVariable changed_;
    std::map<std::string, std::string> values_ LS_GUARDED_BY(mutex_);
};

}  // namespace lockstep::tests
