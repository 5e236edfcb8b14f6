// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <tuple>

#include "core/base/mutex.h"
#include "core/base/plural.h"
#include "core/base/thread.h"
#include "core/telemetry/journal.h"

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

/// Moves what lies behind `end` to a file beside the journal, and returns its name.
Result<std::filesystem::path> cutOff(int journal, const std::filesystem::path& path,
                                     std::uint64_t end) {
    auto cut = newCutFile(path);
    if (!cut) return fail(std::move(cut.error()));
    std::string bytes(kCopyBytes, '\0');
    for (auto from = static_cast<off_t>(end);;) {
        const ssize_t count = ::pread(journal, bytes.data(), bytes.size(), from);
        if (count < 0) return fail(ErrorCode::Io, "reading " + path.string() + ": " + errnoText());
        if (count == 0) break;
        const std::string_view piece(bytes.data(), static_cast<std::size_t>(count));
        if (auto written = writeAll(cut->first.get(), piece); !written)
            return failWithin("writing " + cut->second.string(), std::move(written.error()));
        from += count;
    }
    if (::fsync(cut->first.get()) != 0 || ::ftruncate(journal, static_cast<off_t>(end)) != 0)
        return fail(ErrorCode::Io, fmt::format("cutting {}: {}", path.string(), errnoText()));
    return cut->second;
}

}  // namespace

struct JournalWriter::State {
    State(std::filesystem::path filePath, UniqueFd file, std::uint64_t fileEnd, Options opts)
        : path(std::move(filePath)), fd(std::move(file)), options(opts), end(fileEnd) {}

    const std::filesystem::path path;
    const UniqueFd fd;
    const Options options;
    std::string openingNote;
    std::string buffer;  // whole frames behind `end`
    std::uint64_t bufferedRecords = 0;
    std::uint64_t end;
    std::uint64_t lostRecords = 0;
    bool endIsRagged = false;  // bytes of a failed write lie behind `end`

    Mutex mutex;
    ConditionVariable wake;
    bool dirty LS_GUARDED_BY(mutex) = false;  // written since the last fdatasync
    std::string syncError LS_GUARDED_BY(mutex);
    std::jthread syncer;

    Result<void> writeBuffer();
    Result<void> keepWhatWasWritten(std::size_t written, int error);
    Result<void> cutRaggedEnd();
    void syncOnce();
    void syncUntilStopped(const std::stop_token& stop);
    Result<void> takeSyncError();
};

Result<void> JournalWriter::State::cutRaggedEnd() {
    if (!endIsRagged) return {};
    if (::ftruncate(fd.get(), static_cast<off_t>(end)) != 0)
        return fail(ErrorCode::Io, fmt::format("cutting {}: {}", path.string(), errnoText()));
    endIsRagged = false;
    return {};
}

Result<void> JournalWriter::State::writeBuffer() {
    if (buffer.empty()) return {};
    if (auto cut = cutRaggedEnd(); !cut) {
        std::ignore = keepWhatWasWritten(0, EIO);
        return cut;
    }
    std::size_t written = 0;
    while (written < buffer.size()) {
        const ssize_t count = ::pwrite(fd.get(), buffer.data() + written, buffer.size() - written,
                                       static_cast<off_t>(end + written));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return keepWhatWasWritten(written, count == 0 ? ENOSPC : errno);
        written += static_cast<std::size_t>(count);
    }
    end += written;
    buffer.clear();
    bufferedRecords = 0;
    Lock lock(mutex);
    dirty = true;
    return {};
}

/// After a failure: the journal ends behind the last frame that was written whole, the others
/// are lost. Returns the failure.
Result<void> JournalWriter::State::keepWhatWasWritten(std::size_t written, int error) {
    FrameCursor cursor(std::string_view(buffer).substr(0, written), end);
    std::uint64_t kept = end;
    for (; cursor.next(); kept = cursor.offset())
        --bufferedRecords;
    end = kept;
    endIsRagged = true;
    const std::uint64_t lost = bufferedRecords;
    lostRecords += lost;
    buffer.clear();
    bufferedRecords = 0;
    std::ignore = cutRaggedEnd();  // tried again before the next write
    errno = error;
    return fail(ErrorCode::Io,
                fmt::format("writing {}: {}; {} lost from telemetry", path.string(), errnoText(),
                            countedIs(lost, "record")),
                "Training goes on. Free some space on the disk of the run folder.");
}

void JournalWriter::State::syncOnce() {
    {
        Lock lock(mutex);
        if (!dirty) return;
        dirty = false;
    }
    if (::fdatasync(fd.get()) == 0) return;
    const std::string text = errnoText();
    Lock lock(mutex);
    syncError = text;
}

void JournalWriter::State::syncUntilStopped(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        {
            Lock lock(mutex);
            wake.wait_for(mutex, stop, options.syncInterval, [] { return false; });
        }
        syncOnce();
    }
}

Result<void> JournalWriter::State::takeSyncError() {
    Lock lock(mutex);
    if (syncError.empty()) return {};
    const std::string text = std::exchange(syncError, {});
    return fail(ErrorCode::Io, fmt::format("syncing {}: {}", path.string(), text),
                "Training goes on. The disk of the run folder may be failing.");
}

JournalWriter::JournalWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<JournalWriter>> JournalWriter::open(const std::filesystem::path& path,
                                                           const Options& options) {
    auto fd = openLocked(path);
    if (!fd) return fail(std::move(fd.error()));
    const auto check = checkJournal(path);
    if (!check) return fail(check.error());
    std::string note = check->damage.bytes > 0 ? describe(check->damage) : std::string();
    if (check->torn > 0) {
        const auto cut = cutOff(fd->get(), path, check->end);
        if (!cut) return fail(cut.error());
        note += fmt::format(
            "{}the journal ended in a write cut short: its last {} bytes are now "
            "in {}",
            note.empty() ? "" : "; ", check->torn, cut->filename().string());
    }
    auto state = std::make_unique<State>(path, std::move(*fd), check->end, options);
    state->openingNote = std::move(note);
    State* const shared = state.get();
    state->syncer = startThread(
        "journal-sync", [shared](const std::stop_token& stop) { shared->syncUntilStopped(stop); });
    return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(state)));
}

JournalWriter::~JournalWriter() {
    std::ignore = state_->writeBuffer();  // nobody is left to tell
    state_->syncer.request_stop();
    state_->syncer.join();
    state_->syncOnce();
}

Result<void> JournalWriter::append(std::string_view record) {
    if (record.empty() || record.size() > kMaxJournalRecordBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("a record of {} bytes cannot be journalled (1 to {})",
                                record.size(), kMaxJournalRecordBytes));
    appendFrame(record, state_->buffer);
    ++state_->bufferedRecords;
    if (state_->buffer.size() < state_->options.bufferBytes) return {};
    return flush();
}

Result<void> JournalWriter::flush() {
    if (auto written = state_->writeBuffer(); !written) return written;
    return state_->takeSyncError();
}

Result<void> JournalWriter::sync() {
    if (auto flushed = flush(); !flushed) return flushed;
    state_->syncOnce();
    return state_->takeSyncError();
}

std::uint64_t JournalWriter::end() const {
    return state_->end;
}
std::uint64_t JournalWriter::lostRecords() const {
    return state_->lostRecords;
}
const std::string& JournalWriter::openingNote() const {
    return state_->openingNote;
}

}  // namespace lockstep::telemetry
