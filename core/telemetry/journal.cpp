// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/try.h"
#include "core/telemetry/crc32c.h"
#include "core/telemetry/little_endian.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kLargestFrame = kFrameHeaderBytes + kMaxJournalRecordBytes;
constexpr std::size_t kSearchBytes = std::size_t{1} << 20;

/// A length that no writer of ours makes. Zero is one: a tail of zeros, as a power cut may leave
/// it, would otherwise read as empty records with the right checksum.
bool isImpossibleLength(std::uint32_t length) {
    return length == 0 || length > kMaxJournalRecordBytes;
}

/// Size of the intact frame at the beginning of `bytes`; 0 when there is none.
std::size_t intactFrame(std::string_view bytes) {
    if (bytes.size() < kFrameHeaderBytes) return 0;
    const auto length = readLittleEndian<std::uint32_t>(bytes);
    if (isImpossibleLength(length) || bytes.size() - kFrameHeaderBytes < length) return 0;
    const auto sum = readLittleEndian<std::uint32_t>(bytes.substr(4));
    if (crc32c(bytes.substr(kFrameHeaderBytes, length)) != sum) return 0;
    return kFrameHeaderBytes + length;
}

/// Where the first intact frame of `bytes` begins, before `limit`. Zeros, as a hole in the file
/// has them, are passed over at once: no length ends in four of them and begins before.
std::optional<std::size_t> findFrame(std::string_view bytes, std::size_t limit) {
    for (std::size_t start = 0; start < limit; ++start) {
        if (bytes[start] == '\0') {
            const std::size_t behind = std::min(bytes.find_first_not_of('\0', start), bytes.size());
            if (behind - start > 3) start = behind - 3;
            if (start >= limit) break;
        }
        if (intactFrame(bytes.substr(start)) > 0) return start;
    }
    return std::nullopt;
}

}  // namespace

void JournalDamage::add(const JournalDamage& later) {
    if (later.bytes == 0) return;
    const bool goesOn = bytes > 0 && places == 1 && later.first == first + bytes;
    if (bytes == 0) first = later.first;
    bytes += later.bytes;
    places += goesOn ? later.places - 1 : later.places;
}

std::string describe(const JournalDamage& damage) {
    const std::string bytes =
        damage.bytes == 1 ? std::string("1 byte") : fmt::format("{} bytes", damage.bytes);
    if (damage.places <= 1)
        return fmt::format(
            "the journal is damaged at byte {}: {} cannot be read, what was there "
            "is missing",
            damage.first, bytes);
    return fmt::format(
        "the journal is damaged in {} places, the first at byte {}: {} cannot be "
        "read, what was there is missing",
        damage.places, damage.first, bytes);
}

void appendFrame(std::string_view record, std::string& frames) {
    appendLittleEndian(frames, static_cast<std::uint32_t>(record.size()));
    appendLittleEndian(frames, crc32c(record));
    frames += record;
}

Result<JournalReader> JournalReader::open(const std::filesystem::path& path) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info {};
    if (!fd.valid() || ::fstat(fd.get(), &info) != 0)
        return fail(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                    fmt::format("opening {}: {}", path.string(), errnoText()));
    if (!S_ISREG(info.st_mode))
        return fail(ErrorCode::BadInput, fmt::format("{} is not a file", path.string()));
    return JournalReader(std::move(fd), path);
}

/// Up to `count` bytes; fewer at the end of the file.
Result<std::string> JournalReader::readAt(std::uint64_t offset, std::size_t count) const {
    std::string bytes(count, '\0');
    std::size_t got = 0;
    while (got < count) {
        const ssize_t more =
            ::pread(fd_.get(), bytes.data() + got, count - got, static_cast<off_t>(offset + got));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0)
            return fail(ErrorCode::Io, fmt::format("reading {}: {}", path_.string(), errnoText()));
        if (more == 0) break;
        got += static_cast<std::size_t>(more);
    }
    bytes.resize(got);
    return bytes;
}

Result<std::string> JournalReader::read(std::uint64_t offset, std::size_t maxBytes) const {
    if (offset >= damageBegin_ && offset < damageEnd_)
        return readAt(offset, std::min<std::uint64_t>(damageEnd_ - offset, maxBytes));
    auto bytes = readAt(offset, std::max(maxBytes, kFrameHeaderBytes));
    if (!bytes) return bytes;
    std::size_t end = 0;
    while (const std::size_t size = intactFrame(std::string_view(*bytes).substr(end)))
        end += size;
    if (end > 0 || bytes->size() < kFrameHeaderBytes) {
        bytes->resize(end);
        return bytes;
    }
    auto larger = readAt(offset, kLargestFrame);  // than maxBytes
    if (!larger) return larger;
    if (const std::size_t size = intactFrame(*larger); size > 0) {
        larger->resize(size);
        return larger;
    }
    const auto next = TRY(nextIntact(offset + 1));
    if (!next) return std::string();
    damageBegin_ = offset;
    damageEnd_ = *next;
    return readAt(offset, std::min<std::uint64_t>(*next - offset, maxBytes));
}

/// Where the first intact frame begins that lies at or behind `from`.
Result<std::optional<std::uint64_t>> JournalReader::nextIntact(std::uint64_t from) const {
    for (;; from += kSearchBytes) {
        const auto bytes = TRY(readAt(from, kSearchBytes + kLargestFrame));
        if (const auto found = findFrame(bytes, std::min(bytes.size(), kSearchBytes)))
            return from + *found;
        if (bytes.size() <= kSearchBytes) return std::nullopt;
    }
}

Result<std::uint64_t> JournalReader::size() const {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0)
        return fail(ErrorCode::Io, fmt::format("reading {}: {}", path_.string(), errnoText()));
    return static_cast<std::uint64_t>(info.st_size);
}

std::optional<std::string_view> FrameCursor::next() {
    const std::string_view rest = bytes_.substr(position_);
    if (rest.empty()) return std::nullopt;
    std::size_t skipped = 0;
    std::size_t size = intactFrame(rest);
    if (size == 0) {
        skipped = findFrame(rest, rest.size()).value_or(rest.size());
        damage_.add({skipped, offset(), 1});
        size = intactFrame(rest.substr(skipped));
    }
    position_ += skipped + size;
    if (size == 0) return std::nullopt;
    return rest.substr(skipped + kFrameHeaderBytes, size - kFrameHeaderBytes);
}

std::string describe(const JournalCheck& check) {
    std::string text = check.damage.bytes > 0 ? describe(check.damage) : std::string();
    if (check.torn > 0)
        text += fmt::format(
            "{}the journal ends in a write cut short: its last {} bytes are no "
            "whole record",
            text.empty() ? "" : "; ", check.torn);
    return text;
}

Result<JournalCheck> checkJournal(const std::filesystem::path& path) {
    const auto reader = TRY(JournalReader::open(path));
    JournalCheck check;
    for (;;) {
        const auto frames = TRY(reader.read(check.end, kSearchBytes));
        if (frames.empty()) break;
        FrameCursor cursor(frames, check.end);
        while (cursor.next()) {
        }
        check.damage.add(cursor.damage());
        check.end = cursor.offset();
    }
    const auto size = TRY(reader.size());
    check.torn = size - std::min(size, check.end);
    return check;
}

}  // namespace lockstep::telemetry
