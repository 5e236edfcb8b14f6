// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

// The journal of a run is an append-only file of frames: u32 length, u32 CRC-32C of the record,
// record (a serialised wire::Record), little-endian. History and live stream are the same bytes:
// a reader names the offset it has got to. A frame is intact when it is whole and its sum is right.
// Bytes of no intact frame are damage where an intact one lies behind them, and otherwise the torn
// end of the file: a write that is under way, or that a crash has cut short.

inline constexpr std::size_t kFrameHeaderBytes = 8;
inline constexpr std::size_t kMaxJournalRecordBytes = 256 << 10;

/// What a record is worth where memory is short: samples (steps, heartbeats, figures) go first.
enum class RecordWorth : std::uint8_t { Sample, Event };

/// How the writing goes.
struct JournalStatus {
    std::uint64_t waitingBytes = 0;  ///< Appended, and not in the file yet.
    Nanos stalledFor{};  ///< How long the write (or sync) that is under way, or is tried again,
                         ///< takes.
    std::string error;   ///< Why the last write failed; empty when it did not.
    std::uint64_t lostRecords = 0;  ///< For which there was no room in memory, or in a frame.
    std::string lostSince;          ///< Why, at the last loss.
    /// Not empty once the file is not where it was: what happened to it, in words.
    std::string misplaced;
};

/// Appends to the journal. `append` copies into memory, at the record's final offset; a thread of
/// its own ("journal") writes that and brings it to the disk, and tries again for as long as the
/// disk refuses: nobody else ever waits for it. What memory has no room for is lost and counted; a
/// record that was taken is never followed by a gap. One thread appends; `flush`, `sync` and
/// `status` may be called by others.
class JournalWriter {
public:
    struct Options {
        Millis writeInterval{20};  ///< So much is gathered before it is written.
        Millis syncInterval{1000};
        Millis retryInterval{250};
        std::size_t mostWaitingBytes = std::size_t{64} << 20;  ///< An eighth more for events.
        std::size_t recentBytes = std::size_t{1} << 20;        ///< Kept for `recent` once written.
        Nanos closeTimeout = std::chrono::seconds(3);
    };

    /// Creates `path`, or goes on behind its last intact frame: the torn end behind it is moved to
    /// a file `path`.cut-N, `openingNote` says so. Damage before it stays as it is. Unavailable
    /// when another process writes it.
    [[nodiscard]] static Result<std::unique_ptr<JournalWriter>> open(
        const std::filesystem::path& path, const Options& options);
    [[nodiscard]] static Result<std::unique_ptr<JournalWriter>> open(
        const std::filesystem::path& path) {
        return open(path, Options{});
    }
    /// Writes and syncs what is left, for as long as `closeTimeout`.
    ~JournalWriter();
    JournalWriter(const JournalWriter&) = delete;
    JournalWriter& operator=(const JournalWriter&) = delete;

    /// Takes one record of 1 to kMaxJournalRecordBytes bytes (BadInput otherwise). Unavailable when
    /// it is lost since too much waits for the disk already. Never waits.
    [[nodiscard]] Result<void> append(std::string_view record,
                                      RecordWorth worth = RecordWorth::Event);
    /// Waits until all that was appended is in the file, for readers to see. Timeout, or Io with
    /// the disk's own word, when it is not by then.
    [[nodiscard]] Result<void> flush(Nanos timeout = std::chrono::seconds(10));
    /// Likewise, on the disk.
    [[nodiscard]] Result<void> sync(Nanos timeout = std::chrono::seconds(10));

    /// Offset behind the last record that was appended.
    [[nodiscard]] std::uint64_t end() const;
    /// Whole frames from `offset` on, as JournalReader::read, while they are in memory: that is
    /// what is not in the file yet, and some of what is. Nothing: read the file.
    [[nodiscard]] std::optional<std::string> recent(std::uint64_t offset,
                                                    std::size_t maxBytes) const;
    [[nodiscard]] JournalStatus status() const;
    /// What was found damaged or cut off when it was opened, in a sentence; empty: nothing.
    [[nodiscard]] const std::string& openingNote() const;

private:
    class Pen;
    JournalWriter(std::shared_ptr<Pen> pen, std::string openingNote);
    std::shared_ptr<Pen> pen_;  ///< Shared with a thread that may hang in the disk for ever.
    std::string openingNote_;
};

/// Bytes of a journal that are damaged.
struct JournalDamage {
    std::uint64_t bytes = 0;
    std::uint64_t first = 0;   ///< Offset of the first of them.
    std::uint64_t places = 0;  ///< Stretches of them.

    void add(const JournalDamage& later);
};

/// "the journal is damaged at byte 4711: 80 bytes cannot be read, what they held is missing".
[[nodiscard]] std::string describe(const JournalDamage& damage);

/// Reads a journal, also while it is written. Used by one thread.
class JournalReader {
public:
    [[nodiscard]] static Result<JournalReader> open(const std::filesystem::path& path);

    /// The bytes from `offset` on: intact frames, at most `maxBytes` of them but at least one; or,
    /// where none begins at `offset`, damaged bytes up to the next one (FrameCursor tells).
    /// Empty when no intact frame lies at or behind `offset` (yet).
    [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t maxBytes) const;
    /// Bytes in the file now.
    [[nodiscard]] Result<std::uint64_t> size() const;

private:
    JournalReader(UniqueFd fd, std::filesystem::path path)
        : fd_(std::move(fd)), path_(std::move(path)) {}
    [[nodiscard]] Result<std::string> readAt(std::uint64_t offset, std::size_t count) const;
    [[nodiscard]] Result<std::optional<std::uint64_t>> nextIntact(std::uint64_t from) const;

    UniqueFd fd_;
    std::filesystem::path path_;
    /// The damage that was found last: it may be gigabytes, read in pieces and searched once.
    mutable std::uint64_t damageBegin_ = 0;
    mutable std::uint64_t damageEnd_ = 0;
};

/// Walks over the records of `bytes` (as JournalReader and JournalChunk give them). `offset` is
/// where they begin in the journal.
class FrameCursor {
public:
    explicit FrameCursor(std::string_view bytes, std::uint64_t offset = 0)
        : bytes_(bytes), offset_(offset) {}

    /// The next record of an intact frame; nothing at the end. Other bytes are passed over and
    /// counted.
    [[nodiscard]] std::optional<std::string_view> next();
    /// Offset in the journal of what `next` looks at next.
    [[nodiscard]] std::uint64_t offset() const { return offset_ + position_; }
    /// What was passed over so far.
    [[nodiscard]] const JournalDamage& damage() const { return damage_; }

private:
    std::string_view bytes_;
    std::uint64_t offset_;
    std::size_t position_ = 0;
    JournalDamage damage_;
};

/// How far a journal can be read, and what of it cannot.
struct JournalCheck {
    std::uint64_t end = 0;   ///< Behind the last intact frame.
    std::uint64_t torn = 0;  ///< Bytes behind it.
    JournalDamage damage;
};
/// What cannot be read of a journal that nobody writes any more, in words; empty: nothing.
[[nodiscard]] std::string describe(const JournalCheck& check);
/// Reads the whole of a journal.
[[nodiscard]] Result<JournalCheck> checkJournal(const std::filesystem::path& path);

/// Appends the frame of `record` to `frames`.
void appendFrame(std::string_view record, std::string& frames);

}  // namespace lockstep::telemetry
