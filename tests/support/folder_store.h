// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <thread>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/collective/store.h"

namespace lockstep::tests {

/// A key-value store for processes: a file per key in a folder, looked for every millisecond.
class FolderStore final : public collective::Store {
public:
    explicit FolderStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

    [[nodiscard]] Result<void> set(std::string_view key, std::string_view value) override {
        return replaceFileDurably(pathOf(key), value);
    }
    [[nodiscard]] Result<std::string> get(std::string_view key, Nanos timeout) override {
        const Nanos deadline = SteadyClock::read() + timeout;
        while (!std::filesystem::exists(pathOf(key))) {
            if (SteadyClock::read() >= deadline)
                return fail(ErrorCode::Timeout, "nobody set the key " + std::string(key));
            std::this_thread::sleep_for(Millis(1));  // a pause: between two looks
        }
        constexpr std::uint64_t kLargestValue = 1 << 20;
        return readFile(pathOf(key), kLargestValue);
    }

private:
    [[nodiscard]] std::filesystem::path pathOf(std::string_view key) const {
        std::string name(key);
        for (char& letter : name)
            if (letter == '/') letter = '_';
        return folder_ / name;
    }

    const std::filesystem::path folder_;
};

}  // namespace lockstep::tests
