// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal_pen.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/clock.h"
#include "core/base/thread.h"
#include "core/telemetry/little_endian.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kBlockBytes = 256 << 10;
constexpr Nanos kLookInterval = std::chrono::seconds(1);

/// Bytes of the whole frames at the beginning of `frames` that fit in `most`, at least of one.
std::size_t framesWithin(std::string_view frames, std::size_t most) {
    std::size_t end = 0;
    while (frames.size() - end >= kFrameHeaderBytes) {
        const std::size_t size =
            kFrameHeaderBytes + readLittleEndian<std::uint32_t>(frames.substr(end));
        if (end > 0 && end + size > most) break;
        end = std::min(end + size, frames.size());
    }
    return end > 0 ? end : frames.size();
}

}  // namespace

JournalWriter::Pen::Pen(std::filesystem::path path, UniqueFd fd, std::uint64_t end,
                        const Options& options)
    : path_(std::move(path)),
      fd_(std::move(fd)),
      options_(options),
      end_(end),
      written_(end),
      synced_(end) {}

void JournalWriter::Pen::start(const std::shared_ptr<Pen>& pen) {
    pen->thread_ = startThread("journal", [pen](const std::stop_token& stop) { pen->run(stop); });
}

void JournalWriter::Pen::close() {
    bool ended = false;
    {
        Lock lock(mutex_);
        closing_ = true;
        changed_.notify_all();
        ended = changed_.wait_for(mutex_, options_.closeTimeout,
                                  [this]() LS_REQUIRES(mutex_) { return ended_; });
    }
    thread_.request_stop();
    std::jthread thread = std::move(thread_);
    if (ended)
        thread.join();
    else
        thread.detach();
}

Result<void> JournalWriter::Pen::append(std::string_view record, RecordWorth worth) {
    Lock lock(mutex_);
    const std::size_t size = kFrameHeaderBytes + record.size();
    const std::size_t most = worth == RecordWorth::Sample
                                 ? options_.mostWaitingBytes
                                 : options_.mostWaitingBytes + options_.mostWaitingBytes / 8;
    if (end_ - written_ + size > most) {
        ++lostRecords_;
        lostSince_ = trouble();
        if (lostSince_.empty()) lostSince_ = "the disk is too slow";
        return fail(
            ErrorCode::Unavailable,
            fmt::format("a record is lost: {} bytes wait for the disk already", end_ - written_));
    }
    if (sealed_ || blocks_.empty() || blocks_.back()->bytes.size() >= kBlockBytes)
        blocks_.push_back(std::make_shared<Block>(Block{end_, {}}));
    sealed_ = false;
    appendFrame(record, blocks_.back()->bytes);
    const std::uint64_t waited = end_ - written_;
    end_ += size;
    if (waited == 0 || (waited < kBlockBytes && waited + size >= kBlockBytes))
        changed_.notify_all();
    return {};
}

void JournalWriter::Pen::lose(std::string why) {
    const Lock lock(mutex_);
    ++lostRecords_;
    lostSince_ = std::move(why);
}

Result<void> JournalWriter::Pen::waitFor(Nanos timeout, bool synced) {
    Lock lock(mutex_);
    const std::uint64_t all = end_;
    ++waiters_;
    syncWaiters_ += synced ? 1 : 0;
    changed_.notify_all();
    const bool done =
        changed_.wait_for(mutex_, timeout, [&] { return (synced ? synced_ : written_) >= all; });
    --waiters_;
    syncWaiters_ -= synced ? 1 : 0;
    if (done) return {};
    const std::string error = trouble();
    return fail(
        error.empty() ? ErrorCode::Timeout : ErrorCode::Io,
        fmt::format("{}: {}", path_.string(), error.empty() ? "the disk does not answer" : error),
        "Free some space on the disk of the run folder; it is tried again.");
}

std::uint64_t JournalWriter::Pen::end() const {
    Lock lock(mutex_);
    return end_;
}

std::optional<std::string> JournalWriter::Pen::recent(std::uint64_t offset,
                                                      std::size_t maxBytes) const {
    Lock lock(mutex_);
    const auto behind = std::ranges::upper_bound(
        blocks_, offset, {}, [](const std::shared_ptr<Block>& block) { return block->offset; });
    if (behind == blocks_.begin() || offset >= end_) return std::nullopt;
    const Block& block = **std::prev(behind);
    const std::string_view rest = std::string_view(block.bytes).substr(offset - block.offset);
    return std::string(rest.substr(0, framesWithin(rest, maxBytes)));
}

JournalStatus JournalWriter::Pen::status() const {
    Lock lock(mutex_);
    JournalStatus status;
    status.waitingBytes = end_ - written_;
    if (busySince_) status.stalledFor = SteadyClock::read() - *busySince_;
    status.error = trouble();
    status.lostRecords = lostRecords_;
    status.lostSince = lostSince_;
    status.misplaced = misplaced_;
    return status;
}

void JournalWriter::Pen::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const auto block = nextBlock(stop);
        if (block) {
            lookForCut();
            settle(*block, writeBlock(*block));
        }
        const Nanos now = SteadyClock::read();
        bool last = false;
        bool due = false;
        {
            Lock lock(mutex_);
            due = (now >= nextSync_ || closing_ || syncWaiters_ > 0) && synced_ < written_;
            last = closing_ && written_ == end_;
        }
        if (due) syncOnce();
        if (now >= nextLook_) lookAfterFile();
        if (last && allSynced()) break;
    }
    Lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

/// The oldest block that is not in the file, once enough is gathered or time is up; null when there
/// is none.
std::shared_ptr<const JournalWriter::Pen::Block> JournalWriter::Pen::nextBlock(
    const std::stop_token& stop) {
    Lock lock(mutex_);
    const auto isUrgent = [this]() LS_REQUIRES(mutex_) {
        return closing_ || waiters_ > 0 || end_ - written_ >= kBlockBytes;
    };
    if (!trouble().empty()) {
        changed_.wait_for(mutex_, stop, options_.retryInterval, [] { return false; });
    } else {
        changed_.wait_for(mutex_, stop, std::min<Nanos>(options_.syncInterval, kLookInterval),
                          [&]() LS_REQUIRES(mutex_) { return end_ > written_ || isUrgent(); });
        changed_.wait_for(mutex_, stop, options_.writeInterval, isUrgent);
    }
    // Where each record is waited for, blocks are small, and thousands of them are kept for
    // readers.
    const auto oldest = std::ranges::upper_bound(
        blocks_, written_, {},
        [](const std::shared_ptr<Block>& block) { return block->offset + block->bytes.size(); });
    if (oldest == blocks_.end()) return nullptr;
    sealed_ = sealed_ || *oldest == blocks_.back();
    return *oldest;
}

/// What the file has of a block already is written again with it: the same bytes at the same place.
bool JournalWriter::Pen::writeBlock(const Block& block) {
    begin();
    std::size_t written = 0;
    while (written < block.bytes.size()) {
        const ssize_t count =
            ::pwrite(fd_.get(), block.bytes.data() + written, block.bytes.size() - written,
                     static_cast<off_t>(block.offset + written));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            wrote(count == 0 ? ENOSPC : errno);
            return false;
        }
        written += static_cast<std::size_t>(count);
    }
    wrote(0);
    return true;
}

void JournalWriter::Pen::settle(const Block& block, bool written) {
    if (!written) return;
    Lock lock(mutex_);
    written_ = block.offset + block.bytes.size();
    while (!blocks_.empty()) {
        const std::uint64_t end = blocks_.front()->offset + blocks_.front()->bytes.size();
        if (end > written_ || isWantedAgain(end) || written_ - end < options_.recentBytes) break;
        blocks_.pop_front();
    }
    changed_.notify_all();
}

void JournalWriter::Pen::syncOnce() {
    nextSync_ = SteadyClock::read() + options_.syncInterval;
    std::uint64_t written = 0;
    {
        Lock lock(mutex_);
        written = written_;
    }
    begin();
    int error = ::fdatasync(fd_.get()) == 0 ? 0 : errno;
    // A file system without it has done what it can.
    if (error == EINVAL || error == ENOSYS || error == EOPNOTSUPP) error = 0;
    synced(written, error);
}

/// What ends at `end` is not on the disk yet, and memory has room to write it once more.
bool JournalWriter::Pen::isWantedAgain(std::uint64_t end) const {
    return end > synced_ && end_ - end <= options_.mostWaitingBytes / 2;
}

bool JournalWriter::Pen::allSynced() const {
    Lock lock(mutex_);
    return synced_ == end_;
}

void JournalWriter::Pen::begin() {
    Lock lock(mutex_);
    if (!busySince_) busySince_ = SteadyClock::read();  // else it is tried again
}

void JournalWriter::Pen::wrote(int error) {
    Lock lock(mutex_);
    errno = error;
    writeError_ = error == 0 ? std::string() : "writing: " + errnoText();
    if (trouble().empty()) busySince_.reset();
    changed_.notify_all();
}

/// A sync that fails may have dropped what it should have kept, and is not told again: what memory
/// still holds of that is written anew.
void JournalWriter::Pen::synced(std::uint64_t upTo, int error) {
    Lock lock(mutex_);
    errno = error;
    syncError_ = error == 0 ? std::string() : "syncing: " + errnoText();
    if (error == 0)
        synced_ = upTo;
    else
        for (const std::shared_ptr<Block>& block : blocks_)
            if (isWantedAgain(block->offset + block->bytes.size()))
                written_ = std::min(written_, block->offset);
    if (trouble().empty()) busySince_.reset();
    changed_.notify_all();
}

std::string JournalWriter::Pen::trouble() const {
    return writeError_.empty() ? syncError_ : writeError_;
}

/// Whoever empties the file leaves a hole in front of what is written next.
void JournalWriter::Pen::lookForCut() {
    struct stat open {};
    if (!cut_.empty() || ::fstat(fd_.get(), &open) != 0) return;
    const auto size = static_cast<std::uint64_t>(open.st_size);
    const Lock lock(mutex_);
    if (size >= written_) return;
    cut_ = fmt::format(
        "the journal {} was cut short by another program while it is written: {} bytes are lost",
        path_.string(), written_ - size);
    misplaced_ = cut_;
}

/// Whether what is written can still be found.
void JournalWriter::Pen::lookAfterFile() {
    nextLook_ = SteadyClock::read() + kLookInterval;
    std::string misplaced = whereabouts();
    Lock lock(mutex_);
    misplaced_ = std::move(misplaced);
}

std::string JournalWriter::Pen::whereabouts() const {
    struct stat open {};
    struct stat named {};
    if (::fstat(fd_.get(), &open) != 0) return {};
    if (open.st_nlink == 0)
        return fmt::format(
            "the journal {} was removed while it is written: what it holds is lost "
            "when the run ends",
            path_.string());
    const bool isNamed = ::stat(path_.c_str(), &named) == 0;
    if (!isNamed && errno != ENOENT && errno != ENOTDIR) return {};  // the disk says nothing
    if (isNamed && named.st_dev == open.st_dev && named.st_ino == open.st_ino) return cut_;
    std::error_code error;
    const auto now =
        std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", fd_.get()), error);
    return fmt::format("the journal {} was moved while it is written: it goes on in {}",
                       path_.string(), error ? std::string("another place") : now.string());
}

}  // namespace lockstep::telemetry
