// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/restore_requests.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <tuple>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/arriving_checkpoint.h"
#include "core/checkpoint/checkpoint_provider.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/kept_mark.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/suspect_mark.h"
#include "core/run/run_folder.h"

namespace lockstep::launch {

namespace fs = std::filesystem;
using checkpoint::CheckpointStore;

namespace {

constexpr int kMostCuts = 10'000;

Result<run::RunPaths> pathsOf(const std::string& runDir) {
    if (fs::path(runDir).is_absolute()) return run::RunPaths{runDir};
    return fail(ErrorCode::BadInput, "a run's folder is asked for by its full path");
}

/// Which there are, and what LATEST and BEST say of them. Where LATEST names none of them, more was
/// there, or was to come.
void list(const CheckpointStore& store, wire::RunSurvey& survey) {
    const auto steps = store.newestFirst().value_or(std::vector<std::int64_t>());
    survey.mutable_steps()->Add(steps.begin(), steps.end());
    const auto isThere = [&](std::int64_t step) { return std::ranges::count(steps, step) > 0; };
    const auto latest = store.latest();
    if (latest && !isThere(*latest))
        survey.add_rejected(fmt::format("LATEST names step {}, which is not there", *latest));
    if (!latest && !steps.empty()) survey.add_rejected(latest.error().message);
    if (const auto best = store.best(); best && isThere(*best)) survey.set_best(*best);
    for (const std::int64_t step : steps) {
        if (checkpoint::isKept(store.folder(), step)) survey.add_kept(step);
        if (checkpoint::suspicionOf(store.folder(), step)) survey.add_suspect(step);
    }
}

/// The first that verifies of those saved last, as far as they are of later steps. One that is
/// suspect is better than none, not than what is asked beyond.
void findGood(const CheckpointStore& store, const wire::SurveyRun& ask, wire::RunSurvey& survey) {
    std::vector<std::int64_t> steps(survey.steps().begin(), survey.steps().end());
    const auto suspects = std::ranges::stable_partition(steps, [&](std::int64_t step) {
        return std::ranges::count(survey.suspect(), step) == 0 &&
               std::ranges::count(ask.suspect(), step) == 0;
    });
    if (ask.beyond() >= 0) steps.erase(suspects.begin(), suspects.end());
    for (const std::int64_t step : steps) {
        if (step <= ask.beyond()) continue;
        const auto verified = store.verify(step);
        if (verified) return survey.set_good(step);
        survey.add_rejected(verified.error().message);
    }
}

Result<wire::FromHost> surveyRun(const wire::ToHost& request, const std::stop_token&) {
    const wire::SurveyRun& ask = request.survey_run();
    const auto paths = TRY(pathsOf(ask.run_dir()));
    wire::FromHost answer;
    wire::RunSurvey& survey = *answer.mutable_survey();
    survey.set_good(-1);
    std::error_code absent;
    survey.set_has_journal(fs::exists(paths.journal(), absent));
    if (survey.has_journal()) survey.set_journal_bytes(fs::file_size(paths.journal(), absent));
    survey.set_is_copy(fs::exists(paths.copyMark(), absent));
    survey.set_run_id(run::readRunId(paths));
    survey.set_in_use(run::isLocked(paths));
    const auto store = CheckpointStore::open(paths.checkpoints(), CheckpointStore::Access::Read);
    if (!store) return answer;
    list(*store, survey);
    if (!ask.list_only()) findGood(*store, ask, survey);
    return answer;
}

Result<wire::FromHost> readCheckpoint(const wire::ToHost& request, const std::stop_token&) {
    const wire::ReadCheckpoint& ask = request.read_checkpoint();
    const auto paths = TRY(pathsOf(ask.run_dir()));
    checkpoint::CheckpointProvider provider(paths.checkpoints());
    auto bytes = TRY(provider.read("launcher", ask.step(), ask.file(), ask.offset(), ask.length(),
                                   SteadyClock::read()));
    wire::FromHost answer;
    answer.mutable_run_file()->set_bytes(std::move(bytes));
    return answer;
}

/// Gives what has come its name, not over what may have come there meanwhile. Some file systems
/// have no hard links.
Result<void> placeFile(const fs::path& temporary, const fs::path& target) {
    bool isThere = ::link(temporary.c_str(), target.c_str()) == 0 || errno == EEXIST;
    if (!isThere && (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS))
        isThere = ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(),
                              RENAME_NOREPLACE) == 0 ||
                  errno == EEXIST;
    const std::string reason = isThere ? "" : errnoText();
    ::unlink(temporary.c_str());
    if (isThere) return syncFolder(target.parent_path());
    return fail(ErrorCode::Io, fmt::format("cannot write {}: {}", target.string(), reason));
}

/// Another host has gone on with the run behind the end of what is here: it stays under the first
/// name for it that nothing has.
Result<void> setAside(const fs::path& file) {
    for (int number = 1; number <= kMostCuts; ++number) {
        const std::string name = fmt::format("{}.cut-{}", file.string(), number);
        const bool isLinked = ::link(file.c_str(), name.c_str()) == 0;
        if (isLinked && ::unlink(file.c_str()) == 0) return {};
        if (!isLinked && (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) &&
            ::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0)
            return {};
        if (errno == ENOENT) return {};  // there is none
        if (errno != EEXIST)
            return fail(ErrorCode::Io, fmt::format("cannot write {}: {}", name, errnoText()));
    }
    return fail(ErrorCode::Io, fmt::format("there are too many {}.cut-N", file.string()));
}

/// What is there already stays, unless it is to make way: only what is missing is put in its place.
Result<void> storeFile(const run::RunPaths& paths, const wire::StorePiece& piece) {
    if (piece.file() != "journal" && piece.file() != "job.toml")
        return fail(ErrorCode::BadInput,
                    fmt::format("'{}' is no file of a run", sanitizeLine(piece.file(), 80)));
    const fs::path target = paths.folder / piece.file();
    const fs::path temporary = paths.folder / (".fetch-" + piece.file());
    const int fresh = piece.offset() == 0 ? O_TRUNC : 0;
    const UniqueFd fd(::open(temporary.c_str(),
                             O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | fresh, 0644));
    struct stat status {};
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0)
        return fail(ErrorCode::Io,
                    fmt::format("cannot write {}: {}", temporary.string(), errnoText()));
    if (static_cast<std::uint64_t>(status.st_size) != piece.offset())
        return fail(ErrorCode::BadInput, fmt::format("{} has {} bytes, not {}", piece.file(),
                                                     status.st_size, piece.offset()));
    if (auto written = writeAll(fd.get(), piece.bytes()); !written)
        return failWithin(temporary.string(), written.error());
    if (!piece.place()) return {};
    if (::fsync(fd.get()) != 0)
        return fail(ErrorCode::Io,
                    fmt::format("cannot write {}: {}", temporary.string(), errnoText()));
    if (piece.aside()) TRY(setAside(target));
    return placeFile(temporary, target);
}

/// LATEST names it once it is there, unless it comes beside the newest one.
Result<void> placeCheckpoint(const run::RunPaths& paths,
                             const checkpoint::ArrivingCheckpoint& arriving,
                             const wire::StorePiece& piece) {
    auto store = TRY(CheckpointStore::open(paths.checkpoints(), CheckpointStore::Access::Write));
    if (auto placed = arriving.place(); !placed) {
        if (placed.error().code == ErrorCode::Corrupt) arriving.discard();
        return placed;
    }
    if (piece.kept()) TRY(checkpoint::markKept(paths.checkpoints(), piece.step(), true));
    return piece.latest() ? store.adopt(piece.step(), piece.best()) : Result<void>();
}

Result<void> storeCheckpoint(const run::RunPaths& paths, const wire::StorePiece& piece) {
    std::error_code error;
    fs::create_directories(paths.checkpoints(), error);
    const checkpoint::ArrivingCheckpoint arriving(paths.checkpoints(), piece.step());
    if (piece.place()) return placeCheckpoint(paths, arriving, piece);
    if (piece.file() != checkpoint::kManifestFile)
        return arriving.add(piece.file(), piece.offset(), piece.bytes());
    arriving.discard();
    arriving.discardOthers();  // of an attempt that was cut off
    std::ignore = TRY(arriving.begin(piece.bytes()));
    return {};
}

Result<wire::FromHost> storePiece(const wire::ToHost& request, const std::stop_token&) {
    const wire::StorePiece& piece = request.store_piece();
    const auto paths = TRY(pathsOf(piece.run_dir()));
    if (run::isLocked(paths))
        return fail(ErrorCode::Unavailable,
                    fmt::format("a program is running in {}", paths.folder.string()));
    TRY(piece.step() < 0 ? storeFile(paths, piece) : storeCheckpoint(paths, piece));
    wire::FromHost answer;
    answer.mutable_done();
    return answer;
}

}  // namespace

void addRestoreRequests(HostRequests& requests) {
    requests[wire::ToHost::kSurveyRun] = surveyRun;
    requests[wire::ToHost::kReadCheckpoint] = readCheckpoint;
    requests[wire::ToHost::kStorePiece] = storePiece;
}

}  // namespace lockstep::launch
