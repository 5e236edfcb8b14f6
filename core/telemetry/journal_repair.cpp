// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal_repair.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/telemetry/journal.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{4} << 20;
constexpr std::size_t kSmallestRecord = 2;  ///< A tag, and a length of 0.
constexpr std::size_t kSmallestFrame = kFrameHeaderBytes + kSmallestRecord;
constexpr std::size_t kLargestFrame = kFrameHeaderBytes + kMaxJournalRecordBytes;
constexpr char kFillerTag = (9 << 3) | 2;  ///< The field 9 of a record, which has no meaning.

struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Between intact frames: what lies behind the last of them is the torn end.
Result<std::vector<Stretch>> damagedStretches(const JournalReader& reader) {
    std::vector<Stretch> stretches;
    for (std::uint64_t offset = 0;;) {
        const auto bytes = TRY(reader.read(offset, kBytesAtOnce));
        if (bytes.empty()) return stretches;
        FrameCursor cursor(bytes, offset);
        while (cursor.next()) {
        }
        if (const JournalDamage& damage = cursor.damage(); damage.bytes > 0) {
            const bool goesOn = !stretches.empty() && stretches.back().end == damage.first;
            if (goesOn)
                stretches.back().end += damage.bytes;
            else
                stretches.push_back({damage.first, damage.first + damage.bytes});
        }
        offset = cursor.offset();
    }
}

/// A record of nothing of exactly `bytes`, at least kSmallestRecord: its length is written in as
/// many bytes as it takes to come out even.
std::string fillerRecord(std::size_t bytes) {
    std::size_t lengthBytes = 1;
    while (bytes - 1 - lengthBytes >= (std::size_t{1} << (7 * lengthBytes)))
        ++lengthBytes;
    std::size_t length = bytes - 1 - lengthBytes;
    std::string record(1, kFillerTag);
    for (std::size_t i = 0; i < lengthBytes; ++i) {
        const bool isLast = i + 1 == lengthBytes;
        record += static_cast<char>((length & 0x7f) | (isLast ? 0U : 0x80U));
        length >>= 7;
    }
    record.resize(bytes, '\0');
    return record;
}

Result<std::string> bytesOf(int fd, const Stretch& stretch) {
    std::string bytes(stretch.end - stretch.begin, '\0');
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::pread(fd, bytes.data() + done, bytes.size() - done,
                                      static_cast<off_t>(stretch.begin + done));
        if (count <= 0) return fail(ErrorCode::Io, "reading the journal: " + errnoText());
        done += static_cast<std::size_t>(count);
    }
    return bytes;
}

Result<void> overwrite(int fd, std::uint64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return fail(ErrorCode::Io, "mending the journal: " + errnoText());
        bytes.remove_prefix(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    if (::fsync(fd) != 0) return fail(ErrorCode::Io, "mending the journal: " + errnoText());
    return {};
}

}  // namespace

bool isFiller(std::string_view record) {
    return record.starts_with(kFillerTag);
}

std::string fillerFrames(std::uint64_t bytes) {
    std::string frames;
    while (bytes >= kSmallestFrame) {
        std::uint64_t size = std::min<std::uint64_t>(bytes, kLargestFrame);
        const std::uint64_t rest = bytes - size;
        if (rest > 0 && rest < kSmallestFrame) size -= kSmallestFrame - rest;
        appendFrame(fillerRecord(size - kFrameHeaderBytes), frames);
        bytes -= size;
    }
    return frames;
}

Result<MendedJournal> mendJournal(const std::filesystem::path& path) {
    const auto reader = TRY(JournalReader::open(path));
    const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd.valid())
        return fail(ErrorCode::Io, fmt::format("opening {}: {}", path.string(), errnoText()));
    MendedJournal mended;
    for (const Stretch& stretch : TRY(damagedStretches(reader))) {
        const std::uint64_t size = stretch.end - stretch.begin;
        if (size < kSmallestFrame) {
            mended.left += size;
            continue;
        }
        const std::string damaged = TRY(bytesOf(fd.get(), stretch));
        const std::filesystem::path kept =
            fmt::format("{}.damaged-{}", path.string(), stretch.begin);
        // One of a repair that a crash has cut short holds more than there is now.
        if (std::error_code unknown; !std::filesystem::exists(kept, unknown))
            TRY(replaceFileDurably(kept, damaged));
        TRY(overwrite(fd.get(), stretch.begin, fillerFrames(size)));
        mended.bytes += size;
        mended.keptIn.push_back(kept);
    }
    return mended;
}

}  // namespace lockstep::telemetry
