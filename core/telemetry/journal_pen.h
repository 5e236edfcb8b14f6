// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/mutex.h"
#include "core/telemetry/journal.h"

namespace lockstep::telemetry {

/// What JournalWriter shares with its thread: the end of the journal in memory, as blocks of whole
/// frames. Blocks that wait for the disk come behind those that are kept for readers only.
class JournalWriter::Pen {
public:
    Pen(std::filesystem::path path, UniqueFd fd, std::uint64_t end, const Options& options);
    static void start(const std::shared_ptr<Pen>& pen);
    /// Ends the thread when all is on the disk, or the timeout is over: a thread that hangs in the
    /// disk is left behind.
    void close();

    [[nodiscard]] Result<void> append(std::string_view record, RecordWorth worth);
    /// Counts a record that cannot be taken.
    void lose(std::string why);
    [[nodiscard]] Result<void> waitFor(Nanos timeout, bool synced);
    [[nodiscard]] std::uint64_t end() const;
    [[nodiscard]] std::optional<std::string> recent(std::uint64_t offset,
                                                    std::size_t maxBytes) const;
    [[nodiscard]] JournalStatus status() const;

private:
    struct Block {
        std::uint64_t offset = 0;
        std::string bytes;
    };

    void run(const std::stop_token& stop);
    [[nodiscard]] std::shared_ptr<const Block> nextBlock(const std::stop_token& stop);
    [[nodiscard]] bool writeBlock(const Block& block);
    void settle(const Block& block, bool written);
    void syncOnce();
    void lookForCut();
    void lookAfterFile();
    [[nodiscard]] std::string whereabouts() const;
    [[nodiscard]] bool allSynced() const;
    [[nodiscard]] bool isWantedAgain(std::uint64_t end) const LS_REQUIRES(mutex_);
    void begin();
    void wrote(int error);
    void synced(std::uint64_t upTo, int error);
    [[nodiscard]] std::string trouble() const LS_REQUIRES(mutex_);

    const std::filesystem::path path_;
    const UniqueFd fd_;
    const Options options_;

    mutable Mutex mutex_;
    ConditionVariable changed_;
    std::deque<std::shared_ptr<Block>> blocks_ LS_GUARDED_BY(mutex_);
    std::uint64_t end_ LS_GUARDED_BY(mutex_);      // in memory,
    std::uint64_t written_ LS_GUARDED_BY(mutex_);  // in the file,
    std::uint64_t synced_ LS_GUARDED_BY(mutex_);   // on the disk
    bool sealed_ LS_GUARDED_BY(mutex_) = true;     // the last block is being written: begin another
    bool closing_ LS_GUARDED_BY(mutex_) = false;
    bool ended_ LS_GUARDED_BY(mutex_) = false;
    int waiters_ LS_GUARDED_BY(mutex_) = 0;  // for whom nothing is gathered
    int syncWaiters_ LS_GUARDED_BY(mutex_) = 0;
    std::optional<Nanos> busySince_ LS_GUARDED_BY(mutex_);
    std::string writeError_ LS_GUARDED_BY(mutex_);  // of the last write, and of the last sync:
    std::string syncError_ LS_GUARDED_BY(mutex_);   // one may fail for as long as the other works
    std::uint64_t lostRecords_ LS_GUARDED_BY(mutex_) = 0;
    std::string lostSince_ LS_GUARDED_BY(mutex_);
    std::string misplaced_ LS_GUARDED_BY(mutex_);

    Nanos nextSync_{};  // used by the thread alone, as the next one
    Nanos nextLook_{};
    std::string cut_;  // what another program took out of the file, in words
    std::jthread thread_;
};

}  // namespace lockstep::telemetry
