// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_fetcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/folder_ops.h"
#include "core/checkpoint/layout.h"

namespace lockstep::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr int kAttempts = 2;  ///< To get what matches the manifest.

tl::unexpected<Error> cannotStore(const fs::path& path, const std::string& reason) {
    return fail(ErrorCode::Io,
                fmt::format("cannot store the fetched checkpoint in {}: {}", path.string(), reason),
                "See that there is space, and that this user may write there.");
}

/// Not a name that a writer's clean-up removes: it is gone on with.
fs::path unfinishedName(std::int64_t step) {
    return fmt::format(".fetch-{}", step);
}

bool isOfOptimizer(const std::string& file) {
    return file == kOptimizerFile || file.starts_with(std::string(kOptimizerFolder) + "/");
}

}  // namespace

CheckpointFetcher::CheckpointFetcher(CheckpointSource& source, fs::path folder,
                                     std::function<bool()> cancelled, Contents contents)
    : source_(source),
      folder_(std::move(folder)),
      cancelled_(std::move(cancelled)),
      contents_(contents) {}

Result<void> CheckpointFetcher::fetch(std::int64_t step) {
    std::error_code error;
    if (fs::is_directory(folder_ / folderName(step), error)) return {};
    fs::create_directories(folder_, error);
    if (error) return cannotStore(folder_, error.message());
    const fs::path temporary = folder_ / unfinishedName(step);
    Result<void> done;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        done = fetchInto(temporary, step);
        if (done) done = place(temporary, step);
        if (done) return done;
        const ErrorCode code = done.error().code;
        // What is cut off is kept, to go on with; what is wrong or has no source any more is not.
        if (code == ErrorCode::Corrupt || code == ErrorCode::NotFound)
            fs::remove_all(temporary, error);
        if (code != ErrorCode::Corrupt) return done;
    }
    return done;
}

Result<void> CheckpointFetcher::fetchInto(const fs::path& temporary, std::int64_t step) {
    auto text = TRY(fetchManifest(step));
    auto manifest = parseManifest(text);
    if (!manifest) return failWithin(kManifestFile, manifest.error());
    if (manifest->step != step)
        return fail(ErrorCode::Corrupt, fmt::format("its manifest is of step {}", manifest->step));
    const auto begun = readFile(temporary / kManifestFile, kLargestManifest);
    std::error_code error;
    if (!begun || *begun != text) fs::remove_all(temporary, error);  // of another commit
    fs::create_directories(temporary, error);
    if (error) return cannotStore(temporary, error.message());
    if (auto written = replaceFileDurably(temporary / kManifestFile, text); !written)
        return cannotStore(temporary, written.error().message);
    for (const auto& [name, record] : manifest->files)
        if (contents_ == Contents::All || !isOfOptimizer(name))
            TRY(fetchFile(temporary, step, name, record));
    return {};
}

Result<std::string> CheckpointFetcher::fetchManifest(std::int64_t step) {
    std::string text;
    for (;;) {
        if (cancelled_()) return fail(ErrorCode::Cancelled, "the fetch was cancelled");
        auto piece = TRY(source_.read(step, kManifestFile, text.size(), kLargestPiece));
        text += piece;
        if (piece.size() < kLargestPiece) return text;
        if (text.size() > kLargestManifest)
            return fail(ErrorCode::Corrupt, "its manifest is too large");
    }
}

Result<void> CheckpointFetcher::fetchFile(const fs::path& temporary, std::int64_t step,
                                          const std::string& name, const FileRecord& record) {
    const fs::path path = temporary / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);  // of a shard
    if (error) return cannotStore(path.parent_path(), error.message());
    const UniqueFd fd(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    struct stat status {};
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0) return cannotStore(path, errnoText());
    auto at = static_cast<std::uint64_t>(status.st_size);
    while (at < record.bytes) {
        if (cancelled_()) return fail(ErrorCode::Cancelled, "the fetch was cancelled");
        const auto length =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(kLargestPiece, record.bytes - at));
        auto piece = TRY(source_.read(step, name, at, length));
        if (piece.empty() || piece.size() > length)
            return fail(ErrorCode::Corrupt,
                        fmt::format("{} ends at {} of {} bytes", name, at, record.bytes));
        if (auto written = writeAll(fd.get(), piece); !written)
            return cannotStore(path, written.error().message);
        at += piece.size();
    }
    if (::fsync(fd.get()) != 0) return cannotStore(path, errnoText());
    return syncFolder(path.parent_path());
}

/// Verified against the manifest as every checkpoint is that is read, then given its name.
Result<void> CheckpointFetcher::place(const fs::path& temporary, std::int64_t step) const {
    {
        const UniqueFd folder(::open(temporary.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!folder.valid()) return cannotStore(temporary, errnoText());
        const auto verified = verifyCheckpoint(folder.get(), step, contents_);
        if (!verified)
            return fail(ErrorCode::Corrupt,
                        fmt::format("the checkpoint of step {} came damaged: {}", step,
                                    verified.error().message));
    }
    TRY(syncFolder(temporary));
    std::error_code error;
    fs::rename(temporary, folder_ / folderName(step), error);
    if (error) return cannotStore(folder_, error.message());
    return syncFolder(folder_);
}

void CheckpointFetcher::forget(std::int64_t step) const {
    std::error_code ignored;
    fs::remove_all(folder_ / folderName(step), ignored);
}

}  // namespace lockstep::checkpoint
