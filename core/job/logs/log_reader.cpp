// SPDX-License-Identifier: Apache-2.0
#include "core/job/logs/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/job/fold/wire_views.h"
#include "core/run/run_files.h"
#include "core/telemetry/journal.h"
#include "core/telemetry/little_endian.h"
#include "core/wire/codec.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kSmallPiece = std::size_t{8} << 10;
constexpr std::size_t kLargePiece = std::size_t{256} << 10;
constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr std::size_t kBatch = 4096;

}  // namespace

bool LogFile::isOpen() {
    if (!fd_.valid()) fd_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    return fd_.valid();
}

std::uint64_t LogFile::size() {
    struct stat info {};
    if (!isOpen() || ::fstat(fd_.get(), &info) != 0) return 0;
    return static_cast<std::uint64_t>(info.st_size);
}

std::string_view LogFile::at(std::uint64_t offset, std::size_t count) {
    const auto held = [&] {
        if (offset < begin_ || offset >= begin_ + buffer_.size()) return std::string_view();
        return std::string_view(buffer_).substr(offset - begin_, count);
    };
    if (const auto bytes = held(); bytes.size() == count) return bytes;
    // Far from what was read before, little is worth reading.
    const bool isNear = offset >= begin_ && offset < begin_ + buffer_.size() + kLargePiece;
    readAt(offset, std::max(count, isNear ? kLargePiece : kSmallPiece));
    return held();
}

void LogFile::readAt(std::uint64_t offset, std::size_t count) {
    begin_ = offset;
    buffer_.resize(isOpen() ? count : 0);
    std::size_t got = 0;
    while (got < buffer_.size()) {
        const ssize_t more = ::pread(fd_.get(), buffer_.data() + got, buffer_.size() - got,
                                     static_cast<off_t>(offset + got));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        got += static_cast<std::size_t>(more);
    }
    buffer_.resize(got);
}

std::string_view LogFile::lineAt(std::uint64_t offset) {
    for (std::size_t count = 512;; count *= 8) {
        const std::string_view bytes = at(offset, std::min(count, kLongestLine));
        const std::size_t end = bytes.find('\n');
        if (end != std::string_view::npos) return bytes.substr(0, end);
        if (bytes.size() < count || count >= kLongestLine) return bytes;
    }
}

LogReader::LogReader(std::shared_ptr<const LogBook> book)
    : book_(std::move(book)), journal_(run::RunPaths{book_->runDir()}.journal()) {}

void LogReader::read(std::size_t first, std::size_t count, const Wanted& wanted, const Take& take) {
    const std::size_t end = std::min(book_->size(), first + count);
    for (std::size_t at = first; at < end; at += kBatch) {
        const LogBook::Extract extract = book_->extract(at, std::min(kBatch, end - at));
        for (std::size_t i = 0; i < extract.facts.size(); ++i) {
            const LineFacts& facts = extract.facts[i];
            if (wanted && !wanted(facts)) continue;
            const auto known = extract.texts.find(i);
            const std::string_view text = known != extract.texts.end()
                                              ? std::string_view(known->second)
                                              : fromFile(extract.places[i], facts);
            if (!take(at + i, facts, text)) return;
        }
    }
}

std::string LogReader::text(std::size_t line) {
    std::string text;
    read(line, 1, {}, [&](std::size_t, const LineFacts&, std::string_view found) {
        text = found;
        return true;
    });
    return text;
}

std::string_view LogReader::fromFile(const LogBook::Place& place, const LineFacts& facts) {
    if (place.home == LogBook::Home::Journal) return fromJournal(place.offset, facts);
    if (place.home == LogBook::Home::Nowhere)
        return "(this line lies in no file of the run, and memory had no room for it)";
    LogFile& file = fileOf(facts);
    if (place.offset < file.size()) return file.lineAt(place.offset);
    return "(this line is no longer in the process's file in logs/)";
}

LogFile& LogReader::fileOf(const LineFacts& facts) {
    const std::pair key(static_cast<int>(facts.role), facts.processId);
    const auto found = files_.find(key);
    if (found != files_.end()) return found->second;
    // A job has thousands of processes at most, and their files stay open: forget some.
    constexpr std::size_t kMostFiles = 64;
    if (files_.size() >= kMostFiles) files_.clear();
    return files_
        .try_emplace(key,
                     run::RunPaths{book_->runDir()}.logs() / logNameOf(facts.role, facts.processId))
        .first->second;
}

std::string_view LogReader::fromJournal(std::uint64_t offset, const LineFacts& facts) {
    constexpr std::string_view kGone = "(this line is no longer in the run's journal)";
    const std::string_view header = journal_.at(offset, telemetry::kFrameHeaderBytes);
    if (header.size() < telemetry::kFrameHeaderBytes) return kGone;
    const auto length = telemetry::readLittleEndian<std::uint32_t>(header);
    if (length == 0 || length > telemetry::kMaxJournalRecordBytes) return kGone;
    const std::string_view bytes = journal_.at(offset + telemetry::kFrameHeaderBytes, length);
    if (bytes.size() < length) return kGone;
    const auto record = wire::decode<wire::Record>(bytes);
    if (!record || !record->has_log()) return kGone;
    LogEntry entry = logOf(record->log(), record->wall_time(), static_cast<std::int64_t>(offset));
    if (entry.role != facts.role || entry.processId != facts.processId) return kGone;
    text_ = std::move(entry.text);
    return text_;
}

}  // namespace lockstep::job
