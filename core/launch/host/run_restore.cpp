// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/run_restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/exit_status.h"
#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_source.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/manifest.h"
#include "core/config/document/job_file.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"
#include "core/telemetry/journal_walk.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kAnswer{20};
constexpr std::size_t kLargestSent = 3 << 20;  ///< In one frame; tens of thousands of tensors.
constexpr std::uint32_t kPiece = checkpoint::kLargestPiece;
/// Beyond which checkpoints are surveyed: all of them, and all but those that are suspect.
constexpr std::int64_t kAll = -1;
constexpr std::int64_t kTrusted = 0;

bool lists(const wire::RunSurvey& survey, std::int64_t step) {
    return std::ranges::count(survey.steps(), step) > 0;
}

bool isKept(const wire::RunSurvey& survey, std::int64_t step) {
    return std::ranges::count(survey.kept(), step) > 0;
}

/// The step of the checkpoint that was committed last; 0: none, or the journal cannot be read.
std::int64_t newestCommitted(const std::filesystem::path& journal) {
    const auto reader = telemetry::JournalReader::open(journal);
    if (!reader) return 0;
    std::int64_t newest = 0;
    std::ignore = telemetry::forEachRecord(*reader, [&](const wire::Record& record, std::uint64_t) {
        if (record.has_checkpoint() && record.checkpoint().error().empty())
            newest = static_cast<std::int64_t>(record.checkpoint().step());
        return Result<void>();
    });
    return newest;
}

}  // namespace

Result<std::string> RunRestore::run(const std::optional<FormerHome>& former) {
    const std::int64_t newest =
        former ? newestCommitted(run::RunPaths{mirror_}.journal()) : std::int64_t{0};
    auto restored = TRY(restore(former, newest));
    if (!former || former->isListed || newest > 0) return restored;
    const std::string unasked = fmt::format(
        "{} had the run last, in {}: it is none of the job's hosts, and was not asked for newer "
        "checkpoints",
        former->host, former->folder);
    return restored.empty() ? unasked : restored + "; " + unasked;
}

/// What there is, all are asked first: only where somebody could help are checkpoints read. The
/// journal comes last: without its checkpoints it would be that of a run which ended before its
/// first one.
Result<std::string> RunRestore::restore(const std::optional<FormerHome>& former,
                                        std::int64_t newest) {
    const auto home = TRY(list(home_));
    std::vector<Found> others;
    for (const RunFolderOnHost& place : others_) {
        others.push_back({place, TRY(list(place))});
        if (former) TRY(checkAtRest(others.back(), *former));
    }
    if (former && !former->isListed) TRY(checkNewest(*former, newest, home, others));
    const bool canHelp =
        std::ranges::any_of(others, [](const Found& one) { return !one.survey.steps().empty(); });
    // Nothing is newer than what was committed last: whatever another host has is older then, or of
    // a history that was given up.
    const bool mayBeNewerElsewhere = former && (former->isListed || !lists(home, newest));
    const std::string restored =
        canHelp ? TRY(restoreCheckpoints(mayBeNewerElsewhere)) : std::string();
    if (restored.empty() && home.steps().empty() && !home.has_journal())
        return fail(ErrorCode::BadInput,
                    fmt::format("there is nothing to resume in {}: it holds no checkpoints, and no "
                                "other host of the job has a copy",
                                home_.folder),
                    "Start the job without --resume, or name the run's folder with --run-dir.");
    if (home.has_journal() && !former) return restored;
    if (home.has_journal())
        std::erase_if(others, [&](const Found& one) { return !goesOn(one.survey, home); });
    if (others.empty()) return restored;
    const auto& longest = *std::ranges::max_element(
        others, {}, [](const Found& one) { return one.survey.journal_bytes(); });
    const auto journal = TRY(restoreJournal(longest, home.has_journal()));
    return restored.empty() ? journal : restored;
}

/// Where the run went on elsewhere, home's own journal ends before that: another one's that goes
/// with the checkpoint is longer.
bool RunRestore::goesOn(const wire::RunSurvey& other, const wire::RunSurvey& home) const {
    return lists(other, step_) && other.journal_bytes() > home.journal_bytes();
}

/// Two sides would train one run.
Result<void> RunRestore::checkAtRest(const Found& other, const FormerHome& former) const {
    const bool isFormer = other.place.name == former.host && other.place.folder == former.folder;
    if (!isFormer || !other.survey.in_use()) return {};
    return fail(ErrorCode::Unavailable,
                fmt::format("the run still goes on on {}, in {}", former.host, former.folder),
                "Follow it with `lockstepctl attach`, or end it with `lockstepctl stop`.");
}

/// By the launcher's copy of the journal: what was committed last is there, or nowhere but on the
/// host that is not asked.
Result<void> RunRestore::checkNewest(const FormerHome& former, std::int64_t newest,
                                     const wire::RunSurvey& home,
                                     const std::vector<Found>& others) const {
    const auto hasIt = [newest](const Found& one) { return lists(one.survey, newest); };
    if (newest == 0 || lists(home, newest) || std::ranges::any_of(others, hasIt)) return {};
    std::string remedy = fmt::format(
        "Go on from this machine, with the job of its last start: `lockstepctl run {}/job.toml "
        "--run-dir {} --resume`.",
        mirror_.string(), mirror_.string());
    std::vector<Found> all{{home_, home}};
    all.insert(all.end(), others.begin(), others.end());
    const Found older = *std::ranges::max_element(all, {}, [](const Found& one) {
        return one.survey.steps().empty() ? std::int64_t{-1} : one.survey.steps(0);
    });
    if (!older.survey.steps().empty())
        remedy += fmt::format(
            "\nWhere that host is lost for good, {} has a copy of step {}. There, `lockstepctl run "
            "{}/job.toml --processes {} --run-dir {} --resume` goes on with it.",
            older.place.name, older.survey.steps(0), older.place.folder, former.processes,
            older.place.folder);
    return fail(
        ErrorCode::BadInput,
        fmt::format("the newest checkpoint of the run, of step {}, lies on {}, in {}, which "
                    "is none of the job's hosts, and none of them has it",
                    newest, former.host, former.folder),
        std::move(remedy));
}

/// Nobody writes there any more, and nobody has gone on from it: two sides would train one run.
Result<void> RunRestore::checkIsCopy(const Found& copy, const CopyTakeover& lost) const {
    const std::string where = copy.place.folder;
    if (copy.survey.in_use())
        return fail(ErrorCode::Unavailable,
                    "a program still holds the copy of the run in " + where);
    if (copy.survey.steps().empty() && !copy.survey.has_journal())
        return fail(ErrorCode::BadInput, fmt::format("there is no copy of the run in {}", where));
    if (!copy.survey.is_copy())
        return fail(ErrorCode::BadInput,
                    fmt::format("the run has been gone on with from its copy in {}", where),
                    "Go on with it there.");
    if (std::ranges::count(lost.runIds, copy.survey.run_id()) == 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("what lies in {} is no copy of this run", where));
    return {};
}

std::string RunRestore::costOf(const CopyTakeover& lost) const {
    if (step_ >= lost.trainedTo) return "no step that was heard of is lost";
    if (step_ + 1 == lost.trainedTo) return fmt::format("step {} is trained again", step_ + 1);
    return fmt::format("steps {} to {} are trained again", step_ + 1, lost.trainedTo);
}

/// An attempt before may have brought some of it.
Result<std::string> RunRestore::takeCopy(const CopyTakeover& lost) {
    const RunFolderOnHost& place = others_.front();
    const Found copy{place, TRY(list(place))};
    TRY(checkIsCopy(copy, lost));
    std::ignore = TRY(restoreCheckpoints());
    if (step_ < 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("the copy of the run in {} holds no checkpoint that is whole",
                                place.folder));
    const auto home = TRY(list(home_));
    if (!home.has_journal()) std::ignore = TRY(restoreJournal(copy));
    return fmt::format(
        "the run goes on from the copy that {} has, in {} on {}: from the checkpoint of step {}; "
        "{}, and the logs and event files of {} stay there{}",
        place.name, home_.folder, home_.name, step_, costOf(lost), lost.lostHost, bestLost_);
}

/// The best one first: as long as LATEST names none that is there, the next attempt knows that this
/// one was cut off. Where home has none that is whole but suspect ones, an older one is better.
Result<std::string> RunRestore::restoreCheckpoints(bool mayBeNewerElsewhere) {
    auto home = TRY(survey(home_, kTrusted));
    const bool isWhole = home.good() >= 0 && home.rejected().empty();
    step_ = home.good();
    if (isWhole && !mayBeNewerElsewhere) return std::string();
    suspects_.assign(home.suspect().begin(), home.suspect().end());
    auto found = TRY(newestElsewhere(std::max(step_, kTrusted)));
    const bool allAreSuspect = !home.steps().empty() && home.suspect_size() == home.steps_size();
    if (!found && step_ < 0) {  // one that is suspect is better than none
        home = TRY(survey(home_, kAll));
        step_ = home.good();
        if (step_ < 0) found = TRY(newestElsewhere(kAll));
    }
    if (!found) return std::string();
    const std::int64_t newest = found->survey.good();
    const std::int64_t best = home.best() > 0 ? 0 : found->survey.best();
    const bool comesApart = best > 0 && best != newest && !lists(home, best);
    wire::StorePiece placing = pieceOf(newest, "", 0, {});
    placing.set_latest(true);
    placing.set_kept(isKept(found->survey, newest));
    placing.set_best(best);
    wire::StorePiece placingBest = pieceOf(best, "", 0, {});
    placingBest.set_kept(isKept(found->survey, best));
    const auto besides = comesApart ? fetchCheckpoint(found->place, std::move(placingBest))
                                    : Result<void>();  // training goes on without it, too
    TRY(fetchCheckpoint(found->place, std::move(placing)));
    step_ = newest;
    const std::string why =
        !home.rejected().empty() ? fmt::format("{}: {}", home_.name, home.rejected(0))
        : home.good() >= 0       ? fmt::format("{} has that of step {}", home_.name, home.good())
        : allAreSuspect          ? fmt::format("what {} has is marked as suspect", home_.name)
                                 : fmt::format("{} has none of this run", home_.name);
    const std::string sentence =
        fmt::format("the checkpoint of step {} is from {}, which had a copy: {}", newest,
                    found->place.name, why);
    if (!besides)
        bestLost_ = fmt::format("; the best one, of step {}, could not be fetched: {}", best,
                                besides.error().message);
    return sentence + bestLost_;
}

Result<wire::RunSurvey> RunRestore::list(const RunFolderOnHost& place) {
    wire::ToHost request;
    request.mutable_survey_run()->set_run_dir(place.folder);
    request.mutable_survey_run()->set_list_only(true);
    return TRY(ask_(place.host, request, kAnswer)).survey();
}

Result<wire::RunSurvey> RunRestore::survey(const RunFolderOnHost& place, std::int64_t beyond) {
    say_("looking for checkpoints on " + place.name);
    wire::ToHost request;
    request.mutable_survey_run()->set_run_dir(place.folder);
    request.mutable_survey_run()->set_beyond(beyond);
    request.mutable_survey_run()->mutable_suspect()->Add(suspects_.begin(), suspects_.end());
    return TRY(ask_(place.host, request, kWhileItAnswers)).survey();
}

Result<std::optional<RunRestore::Found>> RunRestore::newestElsewhere(std::int64_t beyond) {
    std::optional<Found> newest;
    for (const RunFolderOnHost& place : others_) {
        auto there = TRY(survey(place, newest ? newest->survey.good() : beyond));
        if (there.good() >= 0) newest = Found{place, std::move(there)};
    }
    return newest;
}

wire::StorePiece RunRestore::pieceOf(std::int64_t step, const std::string& file,
                                     std::uint64_t offset, std::string bytes) const {
    wire::StorePiece piece;
    piece.set_run_dir(home_.folder);
    piece.set_step(step);
    piece.set_file(file);
    piece.set_offset(offset);
    piece.set_bytes(std::move(bytes));
    return piece;
}

Result<void> RunRestore::store(wire::StorePiece piece) {
    const Nanos timeout = piece.place() ? kWhileItAnswers : Nanos(kAnswer);
    wire::ToHost request;
    *request.mutable_store_piece() = std::move(piece);
    std::ignore = TRY(ask_(home_.host, request, timeout));
    return {};
}

Result<std::string> RunRestore::readPiece(const RunFolderOnHost& place, std::int64_t step,
                                          const std::string& file, std::uint64_t offset) {
    wire::ToHost request;
    wire::ReadCheckpoint& read = *request.mutable_read_checkpoint();
    read.set_run_dir(place.folder);
    read.set_step(step);
    read.set_file(file);
    read.set_offset(offset);
    read.set_length(kPiece);
    return TRY(ask_(place.host, request, kAnswer)).run_file().bytes();
}

Result<std::string> RunRestore::readManifest(const RunFolderOnHost& place, std::int64_t step) {
    std::string text;
    for (;;) {
        const auto piece = TRY(readPiece(place, step, checkpoint::kManifestFile, text.size()));
        text += piece;
        if (piece.size() < kPiece) return text;
        if (text.size() > checkpoint::kLargestManifest)
            return fail(ErrorCode::Corrupt, "its manifest is too large");
    }
}

Result<void> RunRestore::fetchCheckpoint(const RunFolderOnHost& place, wire::StorePiece placing) {
    const std::int64_t step = placing.step();
    const auto text = TRY(readManifest(place, step));
    const auto manifest = TRY(checkpoint::parseManifest(text));
    std::uint64_t whole = 0;
    for (const auto& [name, record] : manifest.files)
        whole += record.bytes;
    if (text.size() > kLargestSent)
        return fail(ErrorCode::BadInput,
                    fmt::format("the manifest of {} has {} bytes, and one of at most {} can be "
                                "fetched",
                                place.folder, text.size(), kLargestSent),
                    "Copy its folder checkpoints to that of the run by hand.");
    TRY(store(pieceOf(step, checkpoint::kManifestFile, 0, text)));
    std::uint64_t done = 0;
    for (const auto& [name, record] : manifest.files) {
        std::uint64_t at = 0;
        do {
            auto piece = record.bytes > 0 ? TRY(readPiece(place, step, name, at)) : std::string();
            if (piece.empty() && record.bytes > 0)
                return fail(ErrorCode::Corrupt,
                            fmt::format("{} ends at {} of {} bytes", name, at, record.bytes));
            const std::uint64_t size = piece.size();
            TRY(store(pieceOf(step, name, at, std::move(piece))));
            at += size;
            done += size;
            say_(fmt::format("fetching the checkpoint of step {} from {}, {} of {} MB", step,
                             place.name, done >> 20, whole >> 20));
        } while (at < record.bytes);
    }
    placing.set_place(true);
    return store(std::move(placing));
}

Result<std::string> RunRestore::readRunFile(const RunFolderOnHost& place, const std::string& name,
                                            std::uint64_t offset) {
    wire::ToHost request;
    wire::ReadRunFile& read = *request.mutable_read_run_file();
    read.set_run_dir(place.folder);
    read.set_name(name);
    read.set_offset(offset);
    read.set_max_bytes(kPiece);
    return TRY(ask_(place.host, request, kAnswer)).run_file().bytes();
}

/// Of the longer copy. Without any, the run's journal begins anew. `replaces`: home's own, which
/// stays beside it.
Result<std::string> RunRestore::restoreJournal(const Found& longest, bool replaces) {
    const run::RunPaths mirror{mirror_};
    std::error_code absent;
    const auto mirrored =
        mirror_.empty() ? 0 : std::filesystem::file_size(mirror.journal(), absent);
    const std::uint64_t here = absent ? 0 : mirrored;
    const bool fromMirror = here > 0 && here >= longest.survey.journal_bytes();
    if (!fromMirror && longest.survey.journal_bytes() == 0) return std::string();
    TRY(fetchJob(longest.place));  // first: whoever has a journal is not asked again
    std::uint64_t at = 0;
    for (;;) {
        auto bytes =
            fromMirror ? TRY(TRY(telemetry::JournalReader::open(mirror.journal())).read(at, kPiece))
                       : TRY(readRunFile(longest.place, "journal", at));
        if (bytes.empty()) break;
        const std::uint64_t size = bytes.size();
        TRY(store(pieceOf(-1, "journal", at, std::move(bytes))));
        at += size;
        say_(fmt::format("fetching the journal, {} MB", at >> 20));
    }
    if (at == 0) return std::string();
    wire::StorePiece placing = pieceOf(-1, "journal", at, {});
    placing.set_place(true);
    placing.set_aside(replaces);
    TRY(store(std::move(placing)));
    const std::string whose =
        fromMirror ? "this launcher's copy" : longest.place.name + ", which had a copy";
    return replaces
               ? fmt::format("the journal is from {}: that of {} ends earlier", whose, home_.name)
               : fmt::format("the journal is from {}: {} had none", whose, home_.name);
}

/// By which it is seen what the next start does otherwise.
Result<void> RunRestore::fetchJob(const RunFolderOnHost& place) {
    Result<std::string> job = fail(ErrorCode::NotFound, "the launcher has no copy");
    if (!mirror_.empty()) job = readFile(run::RunPaths{mirror_}.job(), config::kJobFileLimitBytes);
    if (!job) job = readRunFile(place, "job.toml", 0);
    if (!job && isBadInput(job.error().code)) return {};  // nobody has it
    wire::StorePiece piece = pieceOf(-1, "job.toml", 0, TRY(std::move(job)));
    piece.set_place(true);
    return store(std::move(piece));
}

}  // namespace lockstep::launch
