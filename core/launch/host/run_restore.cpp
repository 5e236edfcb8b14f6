// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/run_restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_source.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/manifest.h"
#include "core/config/document/job_file.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kAnswer{20};
constexpr std::chrono::seconds kReading{600};  ///< Of a whole checkpoint, to be verified.
constexpr std::size_t kLargestSent = 3 << 20;  ///< In one frame; tens of thousands of tensors.
constexpr std::uint32_t kPiece = checkpoint::kLargestPiece;

}  // namespace

Result<std::string> RunRestore::run() {
    const auto home = TRY(survey(home_, -1));
    const bool isWhole = home.good() >= 0 && home.rejected().empty();
    if (isWhole) return std::string();
    const auto found = TRY(newestElsewhere(home.good()));
    if (!found) return std::string();
    TRY(fetchCheckpoint(*found));
    if (!home.has_journal()) {
        TRY(fetchJournal(*found));
        TRY(fetchJob());
    }
    const std::string why = home.rejected().empty()
                                ? fmt::format("{} has none of this run", home_.name)
                                : fmt::format("{}: {}", home_.name, home.rejected(0));
    return fmt::format("the checkpoint of step {} is from {}, which had a copy: {}", found->step,
                       found->place.name, why);
}

Result<wire::RunSurvey> RunRestore::survey(const RunFolderOnHost& place, std::int64_t beyond) {
    say_("looking for checkpoints on " + place.name);
    wire::ToHost request;
    request.mutable_survey_run()->set_run_dir(place.folder);
    request.mutable_survey_run()->set_beyond(beyond);
    return TRY(ask_(place.host, request, kReading)).survey();
}

Result<std::optional<RunRestore::Found>> RunRestore::newestElsewhere(std::int64_t beyond) {
    std::optional<Found> best;
    for (const RunFolderOnHost& place : others_) {
        const auto there = TRY(survey(place, best ? best->step : beyond));
        if (there.good() >= 0)
            best = Found{place, there.good(), there.has_journal(), there.journal_bytes()};
    }
    return best;
}

Result<void> RunRestore::store(std::int64_t step, const std::string& file, std::uint64_t offset,
                               std::string bytes, bool place) {
    wire::ToHost request;
    wire::StorePiece& piece = *request.mutable_store_piece();
    piece.set_run_dir(home_.folder);
    piece.set_step(step);
    piece.set_file(file);
    piece.set_offset(offset);
    piece.set_bytes(std::move(bytes));
    piece.set_place(place);
    std::ignore = TRY(ask_(home_.host, request, place ? Nanos(kReading) : Nanos(kAnswer)));
    return {};
}

Result<std::string> RunRestore::readPiece(const Found& found, const std::string& file,
                                          std::uint64_t offset) {
    wire::ToHost request;
    wire::ReadCheckpoint& read = *request.mutable_read_checkpoint();
    read.set_run_dir(found.place.folder);
    read.set_step(found.step);
    read.set_file(file);
    read.set_offset(offset);
    read.set_length(kPiece);
    return TRY(ask_(found.place.host, request, kAnswer)).run_file().bytes();
}

Result<std::string> RunRestore::readManifest(const Found& found) {
    std::string text;
    for (;;) {
        const auto piece = TRY(readPiece(found, checkpoint::kManifestFile, text.size()));
        text += piece;
        if (piece.size() < kPiece) return text;
        if (text.size() > checkpoint::kLargestManifest)
            return fail(ErrorCode::Corrupt, "its manifest is too large");
    }
}

Result<void> RunRestore::fetchCheckpoint(const Found& found) {
    const auto text = TRY(readManifest(found));
    const auto manifest = TRY(checkpoint::parseManifest(text));
    std::uint64_t whole = 0;
    for (const auto& [name, record] : manifest.files)
        whole += record.bytes;
    if (text.size() > kLargestSent)
        return fail(ErrorCode::BadInput,
                    fmt::format("the manifest of {} has {} bytes, and one of at most {} can be "
                                "fetched",
                                found.place.folder, text.size(), kLargestSent),
                    "Copy its folder checkpoints to that of the run by hand.");
    TRY(store(found.step, checkpoint::kManifestFile, 0, text, false));
    std::uint64_t done = 0;
    for (const auto& [name, record] : manifest.files) {
        std::uint64_t at = 0;
        do {
            auto piece = record.bytes > 0 ? TRY(readPiece(found, name, at)) : std::string();
            if (piece.empty() && record.bytes > 0)
                return fail(ErrorCode::Corrupt,
                            fmt::format("{} ends at {} of {} bytes", name, at, record.bytes));
            const std::uint64_t size = piece.size();
            TRY(store(found.step, name, at, std::move(piece), false));
            at += size;
            done += size;
            say_(fmt::format("fetching the checkpoint of step {} from {}, {} of {} MB", found.step,
                             found.place.name, done >> 20, whole >> 20));
        } while (at < record.bytes);
    }
    return store(found.step, "", 0, {}, true);
}

Result<std::string> RunRestore::journalPiece(const Found& found, bool fromMirror,
                                             std::uint64_t offset) {
    if (fromMirror) {
        const auto reader = TRY(telemetry::JournalReader::open(run::RunPaths{mirror_}.journal()));
        return reader.read(offset, kPiece);
    }
    wire::ToHost request;
    wire::ReadRunFile& read = *request.mutable_read_run_file();
    read.set_run_dir(found.place.folder);
    read.set_name("journal");
    read.set_offset(offset);
    read.set_max_bytes(kPiece);
    return TRY(ask_(found.place.host, request, kAnswer)).run_file().bytes();
}

/// Of the longer copy. Without any, the run's journal begins anew.
Result<void> RunRestore::fetchJournal(const Found& found) {
    std::error_code absent;
    const auto mirrored =
        mirror_.empty() ? 0 : std::filesystem::file_size(run::RunPaths{mirror_}.journal(), absent);
    const std::uint64_t here = absent ? 0 : mirrored;
    const bool fromMirror = here >= found.journalBytes;
    if (here == 0 && !found.hasJournal) return {};
    std::uint64_t at = 0;
    for (;;) {
        auto piece = TRY(journalPiece(found, fromMirror, at));
        if (piece.empty()) break;
        const std::uint64_t size = piece.size();
        TRY(store(-1, "journal", at, std::move(piece), false));
        at += size;
        say_(fmt::format("fetching the journal, {} MB", at >> 20));
    }
    return at > 0 ? store(-1, "journal", at, {}, true) : Result<void>();
}

/// By which it is seen what the next start does otherwise.
Result<void> RunRestore::fetchJob() {
    if (mirror_.empty()) return {};
    auto job = readFile(run::RunPaths{mirror_}.job(), config::kJobFileLimitBytes);
    if (!job) return {};
    return store(-1, "job.toml", 0, std::move(*job), true);
}

}  // namespace lockstep::launch
