// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/checkpoint_fetcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/arriving_checkpoint.h"
#include "core/checkpoint/layout.h"

namespace lockstep::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr int kAttempts = 2;  ///< To get what matches the manifest.

}  // namespace

CheckpointFetcher::CheckpointFetcher(CheckpointSource& source, fs::path folder,
                                     std::function<bool()> cancelled, Contents contents)
    : source_(source),
      folder_(std::move(folder)),
      cancelled_(std::move(cancelled)),
      contents_(contents) {}

Result<void> CheckpointFetcher::fetch(std::int64_t step, Present present) {
    std::error_code error;
    if (present == Present::Suffices && fs::is_directory(folder_ / folderName(step), error))
        return {};
    const ArrivingCheckpoint arriving(folder_, step);
    Result<void> done;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        done = fetchInto(arriving, step);
        if (done) return done;
        const ErrorCode code = done.error().code;
        // What is cut off is kept, to go on with; what is wrong or has no source any more is not.
        if (code == ErrorCode::Corrupt || code == ErrorCode::NotFound) arriving.discard();
        if (code != ErrorCode::Corrupt) return done;
    }
    return done;
}

Result<void> CheckpointFetcher::fetchInto(const ArrivingCheckpoint& arriving, std::int64_t step) {
    auto text = TRY(fetchManifest(step));
    const auto present = readFile(folder_ / folderName(step) / kManifestFile, kLargestManifest);
    if (present && *present == text) {
        arriving.discard();
        return {};
    }
    const auto manifest = TRY(arriving.begin(text));
    for (const auto& [name, record] : manifest.files)
        if (isOfContents(name, contents_)) TRY(fetchFile(arriving, step, name, record));
    return arriving.place(contents_);
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

Result<void> CheckpointFetcher::fetchFile(const ArrivingCheckpoint& arriving, std::int64_t step,
                                          const std::string& name, const FileRecord& record) {
    auto at = TRY(arriving.sizeOf(name));
    if (record.bytes == 0) return arriving.add(name, at, {});
    while (at < record.bytes) {
        if (cancelled_()) return fail(ErrorCode::Cancelled, "the fetch was cancelled");
        const auto length =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(kLargestPiece, record.bytes - at));
        auto piece = TRY(source_.read(step, name, at, length));
        if (piece.empty() || piece.size() > length)
            return fail(ErrorCode::Corrupt,
                        fmt::format("{} ends at {} of {} bytes", name, at, record.bytes));
        TRY(arriving.add(name, at, piece));
        at += piece.size();
    }
    return {};
}

void CheckpointFetcher::forget(std::int64_t step) const {
    std::error_code ignored;
    fs::remove_all(folder_ / folderName(step), ignored);
}

}  // namespace lockstep::checkpoint
