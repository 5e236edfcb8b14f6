// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/telemetry/crc32c.h"
#include "core/telemetry/little_endian.h"

namespace lockstep::telemetry {

namespace {

/// A length that no writer of ours makes. Zero is one: a tail of zeros, as a power cut may leave
/// it, would otherwise read as empty records with the right checksum.
bool isImpossibleLength(std::uint32_t length) {
    return length == 0 || length > kMaxJournalRecordBytes;
}

tl::unexpected<Error> failAtFrame(std::uint64_t offset, std::string_view what) {
    return fail(ErrorCode::Corrupt,
                fmt::format("the journal is damaged at byte {}: {}", offset, what));
}

/// Bytes of the whole frames at the beginning of `bytes`.
std::size_t wholeFrames(std::string_view bytes) {
    std::size_t end = 0;
    while (bytes.size() - end >= kFrameHeaderBytes) {
        const auto length = readLittleEndian<std::uint32_t>(bytes.substr(end));
        if (isImpossibleLength(length)) break;
        if (bytes.size() - end - kFrameHeaderBytes < length) break;
        end += kFrameHeaderBytes + length;
    }
    return end;
}

/// Up to `count` bytes; fewer at the end of the file.
Result<std::string> readAt(int fd, std::uint64_t offset, std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t got = 0;
    while (got < count) {
        const ssize_t more =
            ::pread(fd, bytes.data() + got, count - got, static_cast<off_t>(offset + got));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return fail(ErrorCode::Io, errnoText());
        if (more == 0) break;
        got += static_cast<std::size_t>(more);
    }
    bytes.resize(got);
    return bytes;
}

}  // namespace

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

Result<std::string> JournalReader::read(std::uint64_t offset, std::size_t maxBytes) const {
    auto bytes = readAt(fd_.get(), offset, std::max(maxBytes, kFrameHeaderBytes));
    if (!bytes) return failWithin("reading " + path_.string(), std::move(bytes.error()));
    if (bytes->size() < kFrameHeaderBytes) return std::string();
    const auto firstLength = readLittleEndian<std::uint32_t>(*bytes);
    if (isImpossibleLength(firstLength))
        return failAtFrame(offset, fmt::format("a record of {} bytes", firstLength));
    if (kFrameHeaderBytes + firstLength > maxBytes) {
        bytes = readAt(fd_.get(), offset, kFrameHeaderBytes + firstLength);
        if (!bytes) return failWithin("reading " + path_.string(), std::move(bytes.error()));
    }
    bytes->resize(wholeFrames(*bytes));
    return bytes;
}

Result<std::uint64_t> JournalReader::size() const {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0)
        return fail(ErrorCode::Io, fmt::format("reading {}: {}", path_.string(), errnoText()));
    return static_cast<std::uint64_t>(info.st_size);
}

Result<std::optional<std::string_view>> FrameCursor::next() {
    const std::string_view rest = bytes_.substr(position_);
    if (rest.size() < kFrameHeaderBytes) return std::nullopt;
    const auto length = readLittleEndian<std::uint32_t>(rest);
    if (isImpossibleLength(length))
        return failAtFrame(offset(), fmt::format("a record of {} bytes", length));
    if (rest.size() - kFrameHeaderBytes < length) return std::nullopt;
    const std::string_view record = rest.substr(kFrameHeaderBytes, length);
    const std::uint64_t start = offset();
    position_ += kFrameHeaderBytes + length;
    if (readLittleEndian<std::uint32_t>(rest.substr(4)) != crc32c(record))
        return failAtFrame(start, "wrong checksum");
    return record;
}

}  // namespace lockstep::telemetry
