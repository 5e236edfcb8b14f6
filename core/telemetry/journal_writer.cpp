// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "core/telemetry/journal_pen.h"

#include "core/base/try.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kCopyBytes = 1 << 20;
constexpr int kMostCuts = 10'000;

Result<UniqueFd> openLocked(const std::filesystem::path& path) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!fd.valid())
        return fail(ErrorCode::Io, fmt::format("opening {}: {}", path.string(), errnoText()));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} is being written by another program", path.string()),
                    "Attach to the running job, or stop it before starting it again.");
    return fd;
}

/// A file of its own for what is cut off a journal.
Result<std::pair<UniqueFd, std::filesystem::path>> newCutFile(const std::filesystem::path& path) {
    for (int number = 1; number <= kMostCuts; ++number) {
        const std::filesystem::path file = fmt::format("{}.cut-{}", path.string(), number);
        UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        if (fd.valid()) return std::pair(std::move(fd), file);
        if (errno != EEXIST)
            return fail(ErrorCode::Io, fmt::format("creating {}: {}", file.string(), errnoText()));
    }
    return fail(ErrorCode::Io, fmt::format("there are too many {}.cut-N", path.string()));
}

/// Brings what lies behind `end` of the journal into `cut`, and onto the disk.
Result<void> copyTail(int journal, std::uint64_t end, int cut) {
    std::string bytes(kCopyBytes, '\0');
    for (auto from = static_cast<off_t>(end);;) {
        const ssize_t count = ::pread(journal, bytes.data(), bytes.size(), from);
        if (count < 0) return fail(ErrorCode::Io, "reading it: " + errnoText());
        if (count == 0) break;
        const std::string_view piece(bytes.data(), static_cast<std::size_t>(count));
        if (auto written = writeAll(cut, piece); !written)
            return failWithin("writing", std::move(written.error()));
        from += count;
    }
    if (::fsync(cut) != 0) return fail(ErrorCode::Io, "syncing: " + errnoText());
    return {};
}

/// Moves what lies behind `end` to a file beside the journal, and returns its name.
Result<std::filesystem::path> cutOff(int journal, const std::filesystem::path& path,
                                     std::uint64_t end) {
    auto cut = newCutFile(path);
    if (!cut) return fail(std::move(cut.error()));
    auto moved = copyTail(journal, end, cut->first.get());
    if (moved) moved = syncFolder(path.has_parent_path() ? path.parent_path() : ".");
    if (moved && ::ftruncate(journal, static_cast<off_t>(end)) != 0)
        moved = fail(ErrorCode::Io, "cutting the journal: " + errnoText());
    if (moved) return cut->second;
    ::unlink(cut->second.c_str());  // else every start would leave one
    return failWithin(
        fmt::format("keeping the torn end of {} in {}", path.string(), cut->second.string()),
        std::move(moved.error()));
}

}  // namespace

JournalWriter::JournalWriter(std::shared_ptr<Pen> pen, std::string openingNote)
    : pen_(std::move(pen)), openingNote_(std::move(openingNote)) {}

Result<std::unique_ptr<JournalWriter>> JournalWriter::open(const std::filesystem::path& path,
                                                           const Options& options) {
    auto fd = openLocked(path);
    if (!fd) return fail(std::move(fd.error()));
    const auto check = TRY(checkJournal(path));
    std::string note = check.damage.bytes > 0 ? describe(check.damage) : std::string();
    if (check.torn > 0) {
        const auto cut = TRY(cutOff(fd->get(), path, check.end));
        note += fmt::format(
            "{}the journal ended in a write cut short: its last {} bytes are now "
            "in {}",
            note.empty() ? "" : "; ", check.torn, cut.filename().string());
    }
    auto pen = std::make_shared<Pen>(path, std::move(*fd), check.end, options);
    Pen::start(pen);
    return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(pen), std::move(note)));
}

JournalWriter::~JournalWriter() {
    pen_->close();
}

Result<void> JournalWriter::append(std::string_view record, RecordWorth worth) {
    if (record.size() > kMaxJournalRecordBytes)
        pen_->lose(fmt::format("it had {} bytes, more than a record may have", record.size()));
    if (record.empty() || record.size() > kMaxJournalRecordBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("a record of {} bytes cannot be journalled (1 to {})",
                                record.size(), kMaxJournalRecordBytes));
    return pen_->append(record, worth);
}

Result<void> JournalWriter::flush(Nanos timeout) {
    return pen_->waitFor(timeout, false);
}
Result<void> JournalWriter::sync(Nanos timeout) {
    return pen_->waitFor(timeout, true);
}
std::uint64_t JournalWriter::end() const {
    return pen_->end();
}
std::optional<std::string> JournalWriter::recent(std::uint64_t offset, std::size_t maxBytes) const {
    return pen_->recent(offset, maxBytes);
}
JournalStatus JournalWriter::status() const {
    return pen_->status();
}
const std::string& JournalWriter::openingNote() const {
    return openingNote_;
}

}  // namespace lockstep::telemetry
