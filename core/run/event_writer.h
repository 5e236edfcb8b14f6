// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/telemetry/epoch_csv.h"
#include "core/telemetry/event_file.h"
#include "core/telemetry/journal.h"
#include "core/telemetry/lost_steps.h"

namespace lockstep::run {

/// What lies behind the end that the journal had before, as it is read back from its file.
struct ReadBack {
    std::uint64_t records = 0;
    telemetry::JournalDamage damage;
    std::uint64_t lostSteps = 0;  ///< telemetry::LostSteps, also between it and what lies before.
    std::string lostStepsText{};
};

/// Follows a run's journal and writes its TensorBoard event files, and epochs.csv if asked, on a
/// thread of its own ("events"): the coordinator's loop never waits for them. What a full disk does
/// not take is tried again; how far it came is noted beside the event files, so that a resumed run
/// goes on from there.
class EventWriter {
public:
    /// Begins where the former start of the run ended, else behind what `journal` (which need not
    /// exist yet) holds now: create it before the journal's writer.
    /// `epochs`: where the CSV log goes; empty: none is written. `end`: of the journal, where it is
    /// known; else all of it is read for that.
    EventWriter(std::filesystem::path journal, const std::filesystem::path& events,
                const std::filesystem::path& epochs = {}, std::optional<std::uint64_t> end = {});
    /// Writes what the journal still holds; call after its last record. Waits for the thread, which
    /// may hang: see end().
    ~EventWriter();
    EventWriter(const EventWriter&) = delete;
    EventWriter& operator=(const EventWriter&) = delete;

    /// Why it cannot write now; empty: it can.
    [[nodiscard]] std::string problem() const;
    /// Waits until all that the journal holds now is written, and returns why it is not; empty: it
    /// is.
    [[nodiscard]] std::string settle(Nanos patience);
    /// Likewise what the destructor does, for so long at most. False: the thread hangs in the disk,
    /// or is held. It may go on and write at any time: this must be released, not destroyed.
    [[nodiscard]] bool end(Nanos patience);
    /// Of what it has taken in.
    [[nodiscard]] ReadBack readBack() const;

private:
    /// Up to where an earlier start has written the journal, and where this one's records begin.
    struct Beginning {
        std::uint64_t offset = 0;
        std::uint64_t ownFrom = 0;
    };
    EventWriter(std::filesystem::path journal, const std::filesystem::path& events,
                const std::filesystem::path& epochs, Beginning beginning);
    [[nodiscard]] static Beginning beginningOf(const std::filesystem::path& journal,
                                               const std::filesystem::path& positionFile,
                                               std::optional<std::uint64_t> end);
    void count(const ReadBack& more);
    void learnFormerSteps();
    void loop(const std::stop_token& stop);
    [[nodiscard]] Result<void> follow();
    [[nodiscard]] Result<void> flush();
    void notePosition();

    const std::filesystem::path journal_;
    const std::filesystem::path positionFile_;
    const std::uint64_t ownFrom_;
    // Used by the thread alone:
    std::uint64_t offset_;  ///< Up to which the journal was taken in.
    std::optional<std::uint64_t> noted_;
    std::optional<telemetry::JournalReader> reader_;
    telemetry::EventSink events_;
    std::optional<telemetry::EpochCsv> epochs_;
    telemetry::LostSteps lostSteps_;

    mutable Mutex mutex_;
    ConditionVariable pause_;
    std::string problem_ LS_GUARDED_BY(mutex_);
    ReadBack readBack_ LS_GUARDED_BY(mutex_);
    bool isAsked_ LS_GUARDED_BY(mutex_) = false;       ///< To write at once.
    std::uint64_t begun_ LS_GUARDED_BY(mutex_) = 0;    ///< Rounds of writing.
    std::uint64_t written_ LS_GUARDED_BY(mutex_) = 0;  ///< The newest that has left nothing.
    bool ended_ LS_GUARDED_BY(mutex_) = false;
    std::jthread thread_;
};

}  // namespace lockstep::run
