// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/telemetry/journal.h"

namespace lockstep::coordination {

/// Reads the journal's file for monitors on a thread of its own ("journal-read"): a disk that does
/// not answer must not delay heartbeats.
class HistoryReader {
public:
    /// `onRead` is called, on that thread, when something can be taken.
    HistoryReader(telemetry::JournalReader reader, std::function<void()> onRead);
    ~HistoryReader();
    HistoryReader(const HistoryReader&) = delete;
    HistoryReader& operator=(const HistoryReader&) = delete;

    /// What lies at `offset`, once it is read; before, and the first time, nothing.
    [[nodiscard]] std::optional<Result<std::string>> take(std::uint64_t offset,
                                                          std::size_t maxBytes);

private:
    struct Wish {
        std::size_t maxBytes = 0;
        std::uint64_t number = 0;  ///< In order of asking.
        std::optional<Result<std::string>> answer;
    };
    struct Shared {
        Shared(telemetry::JournalReader journal, std::function<void()> whenRead)
            : reader(std::move(journal)), onRead(std::move(whenRead)) {}
        const telemetry::JournalReader reader;
        Mutex mutex;
        ConditionVariable changed;
        std::function<void()> onRead LS_GUARDED_BY(mutex);
        std::map<std::uint64_t, Wish> wishes LS_GUARDED_BY(mutex);  // by offset
        std::uint64_t wished LS_GUARDED_BY(mutex) = 0;
        bool ended LS_GUARDED_BY(mutex) = false;
    };
    static void run(Shared& shared, const std::stop_token& stop);

    std::shared_ptr<Shared> shared_;  ///< With a thread that may hang in the disk.
    std::jthread thread_;
};

}  // namespace lockstep::coordination
