// SPDX-License-Identifier: Apache-2.0
#include "core/run/run_mirror.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <tuple>
#include <utility>

#include "core/base/try.h"
#include "core/telemetry/journal.h"

namespace lockstep::run {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr int kMostCuts = 10'000;

/// The first name for what is cut off that nothing has.
Result<std::pair<UniqueFd, std::string>> newCutFile(const std::filesystem::path& journal) {
    for (int number = 1; number <= kMostCuts; ++number) {
        std::string file = fmt::format("{}.cut-{}", journal.string(), number);
        UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        if (fd.valid()) return std::pair(std::move(fd), std::move(file));
        if (errno != EEXIST)
            return fail(ErrorCode::Io, fmt::format("cannot write {}: {}", file, errnoText()));
    }
    return fail(ErrorCode::Io, fmt::format("there are too many {}.cut-N", journal.string()));
}

/// The end of the last whole frame.
Result<std::uint64_t> wholeSize(const std::filesystem::path& journal) {
    auto reader = TRY(telemetry::JournalReader::open(journal));
    std::uint64_t offset = 0;
    for (;;) {
        auto frames = TRY(reader.read(offset, kPieceBytes));
        if (frames.empty()) return offset;
        offset += frames.size();
    }
}

}  // namespace

Result<RunMirror> RunMirror::open(const RunPaths& paths, const std::string& runId) {
    std::error_code error;
    std::filesystem::create_directories(paths.folder, error);
    UniqueFd journal(
        ::open(paths.journal().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!journal.valid())
        return fail(ErrorCode::Io,
                    fmt::format("cannot write {}: {}", paths.journal().string(), errnoText()));
    auto size = TRY(wholeSize(paths.journal()));
    auto lock = lockRunFolder(paths, runId);
    if (lock && ::ftruncate(journal.get(), static_cast<off_t>(size)) != 0)
        return fail(ErrorCode::Io,
                    fmt::format("cannot write {}: {}", paths.journal().string(), errnoText()));
    return RunMirror(paths, lock ? std::move(*lock) : UniqueFd(), std::move(journal), size);
}

Result<std::string> RunMirror::read(std::uint64_t offset, std::size_t maxBytes) const {
    if (offset >= size_) return std::string();
    auto reader = TRY(telemetry::JournalReader::open(paths_.journal()));
    return reader.read(offset, maxBytes);
}

Result<void> RunMirror::append(std::uint64_t offset, const std::string& frames) {
    const std::uint64_t end = offset + frames.size();
    if (!writes() || end <= size_ || offset > size_) return {};
    const std::string_view fresh = std::string_view(frames).substr(size_ - offset);
    ::lseek(journal_.get(), static_cast<off_t>(size_), SEEK_SET);
    if (auto written = writeAll(journal_.get(), fresh); !written) {
        std::ignore = ::ftruncate(journal_.get(), static_cast<off_t>(size_));  // whole frames only
        return failWithin(paths_.journal().string(), written.error());
    }
    size_ = end;
    return {};
}

Result<void> RunMirror::sync() const {
    if (::fsync(journal_.get()) != 0)
        return fail(ErrorCode::Io,
                    fmt::format("cannot write {}: {}", paths_.journal().string(), errnoText()));
    return {};
}

Result<void> RunMirror::copyTail(std::uint64_t offset, int to) const {
    const auto reader = TRY(telemetry::JournalReader::open(paths_.journal()));
    for (;;) {
        const auto frames = TRY(reader.read(offset, kPieceBytes));
        if (frames.empty()) break;
        TRY(writeAll(to, frames));
        offset += frames.size();
    }
    if (::fsync(to) != 0) return fail(ErrorCode::Io, errnoText());
    return syncFolder(paths_.folder);
}

Result<void> RunMirror::cutAside(std::uint64_t offset) {
    if (!writes() || offset >= size_) return {};
    const auto [file, name] = TRY(newCutFile(paths_.journal()));
    if (auto kept = copyTail(offset, file.get()); !kept) {
        ::unlink(name.c_str());  // else every attempt would leave one
        return failWithin(name, kept.error());
    }
    return cutBack(offset);
}

Result<void> RunMirror::cutBack(std::uint64_t offset) {
    if (!writes() || offset >= size_) return {};
    if (::ftruncate(journal_.get(), static_cast<off_t>(offset)) != 0)
        return fail(ErrorCode::Io,
                    fmt::format("cannot write {}: {}", paths_.journal().string(), errnoText()));
    size_ = offset;
    return {};
}

}  // namespace lockstep::run
