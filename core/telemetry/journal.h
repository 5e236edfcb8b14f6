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

namespace lockstep::telemetry {

// The journal of a run is an append-only file of frames: u32 length, u32 CRC-32C of the record,
// record (a serialised wire::Record), little-endian. History and live stream are the same bytes:
// a reader names the offset it has got to, always the beginning of a frame.

inline constexpr std::size_t kFrameHeaderBytes = 8;
inline constexpr std::size_t kMaxJournalRecordBytes = 256 << 10;

/// Appends to the journal. `append` copies into a buffer, `flush` hands it to the system, a thread
/// of its own ("journal-sync") brings it to the disk once an interval. Used by one thread.
class JournalWriter {
public:
    struct Options {
        std::size_t bufferBytes = 256 << 10;  ///< A fuller buffer is flushed by `append`.
        Millis syncInterval{1000};
    };

    /// Creates `path`, or goes on behind its last whole frame: what follows it (a write cut short
    /// by a crash) is cut off, `openingNote` says so. Unavailable when another process writes it.
    [[nodiscard]] static Result<std::unique_ptr<JournalWriter>> open(
        const std::filesystem::path& path, const Options& options);
    [[nodiscard]] static Result<std::unique_ptr<JournalWriter>> open(
        const std::filesystem::path& path) {
        return open(path, Options{});
    }
    /// Flushes and syncs as far as possible.
    ~JournalWriter();
    JournalWriter(const JournalWriter&) = delete;
    JournalWriter& operator=(const JournalWriter&) = delete;

    /// Appends one record of 1 to kMaxJournalRecordBytes bytes (BadInput otherwise). A failure of
    /// the disk (full, gone) loses the buffered records, counts them and is returned here; the
    /// journal stays whole, and later appends try again: training goes on.
    [[nodiscard]] Result<void> append(std::string_view record);
    /// Hands the buffer to the system: readers see it afterwards. Fails as `append`.
    [[nodiscard]] Result<void> flush();
    /// Flushes and waits until it is on the disk.
    [[nodiscard]] Result<void> sync();

    /// Offset behind the last frame that readers can see.
    [[nodiscard]] std::uint64_t end() const;
    /// Records lost to failures of the disk.
    [[nodiscard]] std::uint64_t lostRecords() const;
    /// What was cut off when it was opened, in a sentence; empty when it was whole.
    [[nodiscard]] const std::string& openingNote() const;

private:
    struct State;
    explicit JournalWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// Reads a journal, also while it is written. Used by one thread.
class JournalReader {
public:
    [[nodiscard]] static Result<JournalReader> open(const std::filesystem::path& path);

    /// Whole frames from `offset` on, at most `maxBytes` of them but at least one when one is
    /// there; empty when none is whole (yet). Checks lengths, not sums: decode with FrameCursor.
    /// Corrupt when `offset` is not the beginning of a frame.
    [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t maxBytes) const;
    /// Bytes in the file now.
    [[nodiscard]] Result<std::uint64_t> size() const;

private:
    JournalReader(UniqueFd fd, std::filesystem::path path)
        : fd_(std::move(fd)), path_(std::move(path)) {}
    UniqueFd fd_;
    std::filesystem::path path_;
};

/// Walks over the records of `bytes` (frames, as JournalReader and JournalChunk give them).
/// `offset` is where they begin in the journal, for messages.
class FrameCursor {
public:
    explicit FrameCursor(std::string_view bytes, std::uint64_t offset = 0)
        : bytes_(bytes), offset_(offset) {}

    /// The next record; nothing at the end or before a frame that is not whole. Corrupt, naming
    /// the offset, when the frame is damaged. After a wrong checksum the next call goes on behind
    /// the frame; after an impossible length there is no going on: `offset` stays.
    [[nodiscard]] Result<std::optional<std::string_view>> next();
    /// Offset in the journal of what `next` looks at next.
    [[nodiscard]] std::uint64_t offset() const { return offset_ + position_; }

private:
    std::string_view bytes_;
    std::uint64_t offset_;
    std::size_t position_ = 0;
};

/// Appends the frame of `record` to `frames`.
void appendFrame(std::string_view record, std::string& frames);

}  // namespace lockstep::telemetry
